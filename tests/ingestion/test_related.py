"""What a log says of a tokenizer, a checkpoint or a vocabulary says nothing against the run itself."""

from __future__ import annotations

from pathlib import Path

from benchledger import audit, ingest
from tests.ingestion.logs import ask, later, put, run_text

MODEL = "select value, source, strength from fact where name = 'model' and used"


# NGC's program states its network by its configuration; bert_model is the tokenizer.
LARGE = run_text().log.replace("bert_model='bert-base-uncased'", "bert_model='bert-large-uncased'")


def test_the_tokenizer_of_bert_large_is_no_contradiction_of_a_bert_base(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a.log", LARGE)

    ingest(tmp_path / "logs", db=db)

    assert ask(db, MODEL) == [("bert_base", "log", "stated")]
    assert ("bert_large", "related", False) in ask(db, "select value, strength, used from fact where name = 'model'")
    assert ask(db, "select name from conflict where name = 'model'") == []
    assert audit(db=db, checks=["facts_contradict"]).findings.height == 0


def test_a_name_outweighs_the_tokenizer_which_counts_where_nothing_else_is_said(db: Path, tmp_path: Path) -> None:
    text = LARGE.replace("config_file='bert_config_base.json', ", "")
    name = "bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_fp32_bs32_gpu1.log"
    put(tmp_path / "logs" / "a.log", text)
    put(tmp_path / "logs" / name, later(text, 1))

    ingest(tmp_path / "logs", db=db)

    assert sorted(ask(db, MODEL)) == [("bert_base", "name", "stated"), ("bert_large", "log", "related")]
    assert ask(db, "select name from conflict where name = 'model'") == []
