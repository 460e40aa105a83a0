"""`bench formats new`: what values of real-looking lines measure, where a guess is asked, and what is no step."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import draft_format
from benchledger.errors import UsageError
from benchledger.scanning.lines import LineReader
from tests.formats.test_draft import drafted
from tests.scanning.reading import values_of

LIGHTNING = "GPU available: True (cuda), used: True\n" + "".join(
    "\r".join(
        f"Epoch {epoch}:  {at // 25}0%|{'█' * (at // 25):10}| {at}/250 [00:0{at // 50}<00:16, 12.{at}it/s, v_num=0,"
        f" train_loss_step=6.{at}, val_acc=0.{epoch}]"
        for at in (50, 100, 150, 200, 250)
    )
    + "\n"
    for epoch in range(3)
)
UPDATES = """[kite] v0.3 | devices=8 x A100
[kite] cfg: arch=swin_t micro_bsz=64 accum=2 workers=4
[kite] param count 28.29M, effective batch 1024
{steps}{end}"""
STEPS = "".join(
    f"00:00:0{n} upd {n * 50}/450 | ep 0 | L 6.{n} | {n}50.1 img/s ({n}4 ms/upd) | lr 8e-05\n" for n in range(1, 9)
)
END = "[kite] finished 450 updates in 55.5 s, avg 1383.7 img/s\n"
TOKENS = "".join(
    f"INFO trainer: step {n}0 loss=3.{n} lr=3.0e-04 tokens/sec/gpu=1190{n} step_time=0.41s\n" for n in range(1, 9)
) + "".join(f"INFO trainer: eval step {n}0 val_loss=3.6 val_ppl={n}.2\n" for n in (40, 80))
IMAGES = "".join(
    f"Batch: [0][{n}/200]\tTime {n}.1 ( 0.9)\tLoss 6.{n} ( 6.9)\tAcc@1 {n}.10 ( 4.0)\n" for n in range(10, 60)
)

# An epoch restarts its steps, ends in a line of its own, and all is behind a printed Namespace.
EPOCHS = "INFO run.py:8 Namespace(arch='vit_l', bs=64, amp=True, epochs=3, world_size=8, lr=0.001)\n" + "".join(
    "".join(f"INFO run.py:9 ep={ep} batch={n}/80 ce=6.{n} imgs/s=190{n}.5 step_ms=268.4\n" for n in range(0, 80, 10))
    + f"INFO run.py:10 epoch {ep} done: train_loss=4.2 eval_top1={ep}5.1% epoch_time=53.2s throughput=1911.2 imgs/s\n"
    for ep in range(3)
)
SENTENCES = "".join(
    f"[rank {rank}] Finished update {n}0 of 900, averaged over 10 updates of this run: loss 3.{n}, {n}45.2 ms per update,"
    f" 104{n} sequences per second\n"
    for n in range(1, 9)
    for rank in (0, 1)
)


def test_steps_of_epochs_an_epoch_summary_and_a_configuration_are_three_records(tmp_path: Path) -> None:
    draft, log_format = drafted(EPOCHS, tmp_path)
    kinds = {
        (record.kind, record.templates[0].source.partition("{INFO_run.py:int} ")[2]) for record in log_format.records
    }
    facts = {(fact.name, fact.source) for fact in log_format.facts}

    assert (draft.steps, draft.rejects) == (24, 0)
    assert ("parameter", "Namespace({pairs}") in kinds
    assert ("step", "ep={epoch:int} batch={step:int}/{planned:int} {pairs}") in kinds
    assert ("summary", "epoch {epoch:int} done: {pairs}") in kinds
    assert {("model", "arch"), ("gpus", "world_size"), ("batch_size_per_gpu", "bs")} <= facts
    assert {record.first_epoch for record in log_format.records if record.kind == "step"} == {0}
    assert log_format.fields[None, "imgs/s"].unit == "samples/s"
    assert log_format.fields[None, "epoch_time"].quantity == "epoch_time"


def test_a_sentence_with_rank_counter_and_rate_is_a_step_and_no_line_of_the_draft_is_long(tmp_path: Path) -> None:
    draft, log_format = drafted(SENTENCES, tmp_path)
    step = next(record for record in log_format.records if record.kind == "step")
    long = [line for line in draft.text.splitlines() if len(line) > 120 and not line.startswith("text = ")]

    assert (draft.steps, long) == (16, [])
    assert log_format.default_rule == "steps.median_skip0"
    assert step.templates[0].source.startswith("[rank {rank:int}] Finished update {step:int} of {of:int}, averaged")
    assert log_format.fields[None, "sequences_per_second"].quantity == "throughput"


def test_a_progress_bar_in_which_the_last_evaluation_stands_is_a_step(tmp_path: Path) -> None:
    draft, log_format = drafted(LIGHTNING, tmp_path)
    speed = log_format.fields[None, "it_s"]

    assert (draft.steps, draft.rejects) == (15, 0)
    assert (speed.quantity, speed.unit) == ("throughput", "steps/s")
    assert log_format.fields[None, "train_loss_step"].quantity == "loss"


def test_the_unit_of_a_value_is_not_the_name_of_the_next(tmp_path: Path) -> None:
    _, log_format = drafted(TOKENS, tmp_path)
    speed = log_format.fields[None, "tokens/sec/gpu"]

    assert (log_format.fields[None, "lr"].quantity, log_format.fields[None, "lr"].unit) == ("learning_rate", None)
    assert (speed.quantity, speed.unit, speed.scope) == ("throughput", "tokens/s", "gpu")
    assert log_format.fields[None, "val_ppl"].quantity == "perplexity"


def test_what_has_a_unit_of_time_is_no_speed_and_the_other_way_round(tmp_path: Path) -> None:
    _, log_format = drafted(UPDATES.format(steps=STEPS, end=END), tmp_path)
    lines = "".join(f"Epoch {n:02}/10  train_loss 0.{n}  time 41.{n}s  (120{n} samples/s)\n" for n in range(1, 9))
    _, other = drafted(lines, tmp_path)

    time, speed = log_format.fields[None, "ms_upd"], other.fields[None, "samples_s"]
    assert (time.quantity, time.unit, time.scale) == ("step_time", "s", 0.001)
    assert (speed.quantity, speed.unit) == ("throughput", "samples/s")


def test_the_loaders_of_data_are_no_gpus(tmp_path: Path) -> None:
    _, log_format = drafted(UPDATES.format(steps=STEPS, end=END), tmp_path)

    assert {fact.name: fact.source for fact in log_format.facts if fact.name == "gpus" and not fact.launcher} == {
        "gpus": "devices"
    }


def test_an_accuracy_is_asked_for_its_unit_and_a_line_of_accuracies_for_its_phase(tmp_path: Path) -> None:
    draft, log_format = drafted(IMAGES + " * Acc@1 22.000 Acc@5 45.000\n" * 2, tmp_path)
    field = log_format.fields[None, "Acc_1"]

    assert (field.quantity, field.unit) == ("accuracy", "%")
    assert "# ? %, by its numbers?" in draft.text
    own = {record for record, _ in log_format.own_templates}
    assert [one.phase for one in log_format.records if one.kind == "summary" and one.name in own] == ["validation"]
    assert "# ? an evaluation, or of the training?" in draft.text


def test_what_stands_before_all_lines_of_a_program_is_an_anchor_and_its_last_speed_closes_the_run(
    tmp_path: Path,
) -> None:
    draft, log_format = drafted(UPDATES.format(steps=STEPS, end=END), tmp_path)

    assert "[kite] " in log_format.anchors
    assert log_format.closing == ("avg",)
    assert (draft.ignored, draft.rejects) == (1, 0)


def test_of_several_logs_each_has_an_end_of_its_own(tmp_path: Path) -> None:
    whole, cut = UPDATES.format(steps=STEPS, end=END), UPDATES.format(steps=STEPS, end="")
    (tmp_path / "one.log").write_text(whole)
    (tmp_path / "two.log").write_text(cut)

    assert 'closing = "avg"' in draft_format(tmp_path / "one.log", tmp_path / "two.log").text


def test_a_counter_that_never_counts_up_is_none(tmp_path: Path) -> None:
    line = '10.0.0.7 - - [21/Nov/2026:10:00:{:02} +0000] "GET /train?step=10&loss=1.0 HTTP/1.1" 200 {}\n'

    with pytest.raises(UsageError, match="no repeated line looks like a training step"):
        drafted("".join(line.format(n % 60, 300 + n % 7) for n in range(300)), tmp_path)


def test_a_table_under_a_header_is_told_as_csv(tmp_path: Path) -> None:
    log = tmp_path / "hist.csv"
    log.write_text("epoch,train_loss,val_acc,secs\n" + "".join(f"{n},{n}.5,0.{n},31.2\n" for n in range(1, 9)))

    with pytest.raises(UsageError, match=r'this is a CSV table.*kind = "csv".*headers = \[\["epoch", "train_loss"'):
        draft_format(log)


MESH = "mesh: data=8 model=1 stages=2\n" + "".join(
    f"[pod] step={n}0 loss=3.{n} seq_per_sec=1190.{n} mem_gib=30.{n} load_ms=1.{n}\n" for n in range(1, 9)
)


def test_a_speed_and_a_unit_in_a_name_are_found_and_a_number_is_no_model(tmp_path: Path) -> None:
    draft, log_format = drafted(MESH, tmp_path)
    speed, memory, load = (log_format.fields[None, name] for name in ("seq_per_sec", "mem_gib", "load_ms"))

    assert (speed.quantity, speed.unit) == ("throughput", "samples/s")
    assert (memory.quantity, memory.unit, memory.scale) == ("memory_allocated", "MiB", 1024)
    assert (load.unit, load.scale) == ("s", 0.001)
    assert [fact.source for fact in log_format.facts if fact.name == "model"] == []
    assert draft.text.count("seq_per_sec") > 1


def test_a_list_of_gpus_is_counted_and_a_value_in_mib_is_memory(tmp_path: Path) -> None:
    config = "kestrel hparams {'hidden': 2048, 'layers': 24, 'micro_bsz': 4, 'gpus': [0, 1, 2, 3]}\n"
    steps = "".join(f"kestrel upd {n}0/400 :: xent 3.{n} :: 1180{n} tok/s :: peak 6310{n} MiB\n" for n in range(1, 9))
    _, log_format = drafted(config + steps, tmp_path)
    gpus = next(fact for fact in log_format.facts if fact.name == "gpus" and fact.source == "gpus")

    assert gpus.items
    assert log_format.fields[None, "peak"].quantity == "memory_allocated"


@pytest.mark.parametrize(
    ("line", "speed"),
    [
        ("it {0} loss 2.{0} | {0},454.7 tok/s/gpu | 156{0}.1 ms", 3454.7),
        ("it {0}: loss 2.{0}, drift -1,23{0}.5, 1,234,56{0}.5tok/s", 1234563.5),
        ("it={0} tok/s={0},454.7 loss=2.{0}", 3454.7),
        ("it {0} | loss: 2.{0}, speed: {0},454 tok/s, mem: 2.{0} GiB", 3454),
        ("it {0},250 of 90,000: loss 2.{0}, 45{0} tok/s", 453),
    ],
)
def test_a_number_with_thousands_separators_is_one_number(line: str, speed: float, tmp_path: Path) -> None:
    text = "".join(f"[toy] {line.format(n)}\n" for n in range(1, 9))
    draft, log_format = drafted(text, tmp_path)
    row = LineReader(log_format).read(text.encode()).rows[2]
    fields = [log_format.fields.get((None, value.name)) for value in row.layout.values]

    assert (draft.steps, draft.rejects, len(row.columns)) == (8, 0, 1)
    assert [
        value for value, field in zip(row.values, fields, strict=True) if field and field.quantity == "throughput"
    ] == [speed]


def test_a_unit_behind_a_number_belongs_to_it_and_a_time_without_a_name_is_asked_for(tmp_path: Path) -> None:
    lines = "".join(
        f"[toy] it {n} loss 2.{n} | {n},454.7 tok/s/gpu | 156{n}.1 ms | mem 3.{n} GiB\n" for n in range(1, 9)
    )
    draft, log_format = drafted(lines, tmp_path)
    time = log_format.fields[None, "time"]

    assert (time.quantity, time.unit, time.scale) == ("step_time", "s", 0.001)
    assert "# ? the time of one step" in draft.text
    assert "| {tok_s_gpu:float,} tok/s/gpu | {time:float} ms | mem {mem:float} GiB" in draft.text


@pytest.mark.parametrize(
    "settings",
    [
        "model=tinynet batch_size=32 gpus=8 dtype=bf16",
        "starting tinytrain model=tinynet batch_size=32 gpus=8 dtype=bf16",
        "2026-11-20 10:00:00 config: model=tinynet, batch_size=32, gpus=8, dtype=bf16",
        '{"model": "tinynet", "batch_size": 32, "gpus": 8, "dtype": "bf16"}',
        '2026-11-20 10:00:00 INFO config {"model": "tinynet", "batch_size": 32, "gpus": 8, "dtype": "bf16"}',
        "[cfg] {'model': 'tinynet', 'batch_size': 32, 'gpus': 8, 'dtype': 'bf16'}",
        '{"model": "tinynet"}\n{"batch_size": 32}\n{"gpus": 8}\n{"dtype": "bf16"}',
        'cfg(model="tinynet", batch_size=32, gpus=8, dtype="bf16")',
    ],
)
def test_a_line_of_settings_states_the_model_wherever_it_stands(settings: str, tmp_path: Path) -> None:
    log = f"{settings}\n" + "".join(f"tiny step {n}0 | loss 2.{n} | images/s 81{n}.5\n" for n in range(1, 9))

    draft, log_format = drafted(log, tmp_path)

    stated = {
        name: value
        for row in LineReader(log_format).read(log.encode()).rows
        if row.layout.record.kind == "parameter"
        for name, value in values_of(row).items()
    }
    assert (draft.steps, stated) == (8, {"model": "tinynet", "batch_size": 32, "gpus": 8, "dtype": "bf16"})
    assert {"model", "gpus", "batch_size_per_gpu", "precision"} <= {fact.name for fact in log_format.facts}
