"""A title names the cells of its column, and a name at the end of a line the values below it."""

from __future__ import annotations

import pytest

from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, shown

KEY = "3f9a2c1d7e4b5a6988776655443322110ffeeddc"
PRIVATE = {
    "hostname,user,gpu,util\nsol,ann,A100,98\nluna,bob,A100,97": "<host>,<user>,A100,98 <host>,<user>,A100,97",
    "a|User|NodeList|b\n1|ann|sol,luna|x": "1|<user>|<host>,<host>|x",
    "timestamp;node;tokens_per_s\n2024-01-01T00:00:00;gcn-4;41233.1": "2024-01-01T00:00:00;<host>;41233.1",
    "index, gpu.serial, util\n0, 1563221007412, 98 %": "0, <device>, 98 %",
    f"api_key,model\n{KEY},gpt2": "<secret>,gpt2",
    "| model | owner |\n|-------|-------|\n| bert  | ann   |": "|-------|-------| | bert  | <user>   |",
    "JOBID  NAME  USER     ST\n  123 train  ann       R": "  123 train  <user>       R",
    "OWNER   BATCH_NAME  DONE  RUN\nann     ID: 4417       _    1": "<user>     ID: 4417       _    1",
    "PARTITION NODES  STATE NODELIST\ngpu*          3   idle sol[1-3]": "gpu*          3   idle <host>",
    "JOBID USER STAT FROM_HOST EXEC_HOST\n4417  ann  RUN  lab-a     sol4": "4417  <user>  RUN  <host>     <host>",
    "JOBID USER STAT FROM_HOST EXEC_HOST\n4417  ann  RUN  lab-a     36*sol4:2*sol5": "4417  <user>  RUN  <host>     36*<host>:2*<host>",
    # sacct: right of wide columns, and cells without a value
    "JobID             User    Account    NodeList\n------------ --------- ---------- -----------\n"
    "881                ann       lab2       sol-4\n881.batch                    lab2       sol-4": (
        "------------ --------- ---------- ----------- 881                <user>       <group>       <host>"
        " 881.batch                    <group>       <host>"
    ),
    "hosts:\n  - sol\n  - luna\nlr: 0.1": "  - <host>   - <host> lr: 0.1",
    f"  api_key: >-\n    {KEY}\n  x: y": "    <secret>   x: y",
    '"nodelist": [\n  "gcn4",\n  "gcn5"\n]': '  "<host>",   "<host>" ]',
    f"Paste your API key (hidden):\n{KEY}": "<secret>",
    "Epoch  Device  Host  Server time  Worker\n2      cuda:1  sol-4 3 w2": "2      cuda:1  <host> 3 w2",
    f"passwords:\n  - .{KEY}=\n  - a;b1cd": "  - <secret>   - <secret>",
    f"env:\n- name: DB_PASSWORD\n  value: .{KEY}\n- name: LR": "- name: DB_PASSWORD   value: <secret> - name: LR",
    f'"name": "HF_TOKEN",\n"value": "{KEY}",\n"x": 1': '"value": "<secret>", "x": 1',
    '"key": "password",\n"value": "my pass, 12"': '"value": "<secret>"',
    'password=(\n  ".ab12cd"\n)': '  "<secret>" )',
    f"PuTTY-User-Key-File-2: ssh-rsa\nPublic-Lines: 2\n{KEY}{KEY}\nmnopqrst\nPrivate-Lines: 1\n{KEY}\nPrivate-MAC: {KEY}\nstep 7": (
        "Public-Lines: 2 <secret> <secret> Private-Lines: 1 <secret> Private-MAC: <secret> step 7"
    ),
    "x\nowner        ann\nuser | sol": "owner        <user> user | <user>",
    '<user>ann</user>\n<p name="owner" value="ann"/>': '<p name="owner" value="<user>"/>',
}
PUBLIC = [
    "user,system,idle\n12.1,3.2,84.7",
    "user\t0m12.310s\nsys\t0m0.400s",
    "host,device\n0.12,0.33",
    "serial,parallel\n12.1234,3.2",
    "after the host, user\nloaded model, done",
    "PID USER PR TIME\nEpoch 1 loss 3.1\nstep 2 of 9",
    "hosts:\nlr: 0.1\nhello",
    "user:\nhello",
    "tokens:\n  1024",
    "user,project,loss\n.5,-.5,±2\n~3,2024-01-01,#4",
    "| USER | Owner |\n|---|---|\n| USER | Owner |",
    "Host        Samples/s\nsol         123.4",
    "Epoch  Device  Host  Server time  Worker\n2      cuda:1  123 3 4",
    "- name: PASSWORD\n  valueFrom:\n    secretKeyRef: db12345678",
    "- name: PASSWORD\n- name: LR\n  value: 0.001",
    "- name: tokens\n  value: 512",
    "passwords:\nloss: 0.5",
    "gpu7: enter the password:\nEpoch 1 loss 3.1\ndone",
    "0: passwords:\n0: loss 0.5\n0: done",
    "a: - name: PASSWORD\na:   value: $X\na: - name: LR\na:   value: 0.001",
    '{"log":"hosts:\\n"}\n  - "ann"\n{"log":"  -\t\\"ann\\"\\n"}',
    "[a] HOST USER DATA NOW\n[a] Epoch 1 loss 3.1\n[b] step 2 of 9",
]
# `@` is the line, `#` a digit that changes.
AROUND = [
    "2026-11-20T09:00:00.#Z stdout F @",
    "trainer-1  | @",
    "trainer-1  | 2026-11-20T09:00:00.#Z @",
    "[pod/trainer-0/main] @",
    "2026-11-20 09:00:0#,123 @",
    "[2026-11-20 09:00:0#][INFO] @",
    "2026-11-20 09:00:0#,123 - train - INFO - @",
    "2026-11-20 09:00:0#.123 | INFO     | __main__:main:1# - @",
    "I1120 09:00:0#.123456 12345 file.cc:161] @",
    "Nov 20 09:00:0# gpu7 python[12]: @",
    "[1,0]<stdout>:@",
    " 0: @",
    "gpu7: @",
    "(RayWorker pid=12) @",
    "INFO:root:@",
    '{"log":"@\\n","stream":"stdout","time":"2026-11-20T09:00:00.#Z"}',
    '{"level":"info","msg":"@","ts":1.#}',
]


@pytest.mark.parametrize("text", PRIVATE)
def test_a_private_cell_or_value_in_another_line_than_its_name_is_replaced(text: str) -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)
    whole = LineRedactor(redactor).redact(text.encode()).decode()
    in_parts = LineRedactor(redactor)

    assert " ".join(shown(whole).split("\n")[1:]) == PRIVATE[text]
    assert "".join(in_parts.redact(line.encode()).decode() for line in text.splitlines(keepends=True)) == whole


@pytest.mark.parametrize("text", PUBLIC)
def test_numbers_words_and_lines_that_are_no_rows_stay(text: str) -> None:
    assert LineRedactor(Redactor(known_redaction(), b"k" * 32)).redact(text.encode()).decode() == text


@pytest.mark.parametrize("around", AROUND)
def test_what_a_log_puts_around_each_line_hides_no_value_of_another_line(around: str) -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)
    # In these a name stands before its value in one line, or a key is followed.
    texts = [text for text in PRIVATE if not text.startswith(("x\n", "<user>", "PuTTY"))]

    def wrapped(number: int, line: str) -> str:
        inner = line.replace('"', '\\"').replace("\t", "\\t") if around.startswith("{") else line
        return around.replace("#", str(number)).replace("@", inner)

    for text in [*texts, *PUBLIC]:
        log = "\n".join(wrapped(*one) for one in enumerate(text.split("\n")))
        redacted = shown(LineRedactor(redactor).redact(log.encode()).decode()).split("\n")
        alone = shown(LineRedactor(redactor).redact(text.encode()).decode()).split("\n")

        assert redacted[1:] == [wrapped(*one) for one in enumerate(alone)][1:]


def test_lines_of_other_processes_may_stand_between() -> None:
    lines = ["[a] env:", "[a] - name: API_KEY", "[b] step 1", "step 2", f"[a]   value: {KEY}", "[b] step 3"]
    ranks = ["0: - name: API_KEY", "1: - name: API_KEY", f"0:   value: {KEY}", f"1:   value: {KEY}0", "0: step 1"]
    table = ["[a] JOBID USER ST TIME", "[b] step 1", "[a] 12345 ann  R  10:00", "[b] step 2", "[a] 12346 bob  R  10:00"]
    redactor = Redactor(known_redaction(), b"k" * 32)

    for log in (lines, ranks, table):
        expected = "\n".join(log).replace(f"{KEY}0", KEY).replace(KEY, "<secret>")
        expected = expected.replace("ann", "<user>").replace("bob", "<user>")
        assert shown(LineRedactor(redactor).redact("\n".join(log).encode()).decode()) == expected
