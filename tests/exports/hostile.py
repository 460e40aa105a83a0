"""Text as a log may hold it, to which no form may give a meaning."""

from __future__ import annotations

HOSTILE = (
    "a|b\\|c\\",
    "`code` *bold* _it_ **x** ~~y~~ bert_base_",
    "<script>alert(1)</script> &lt; &amp;",
    "two\nlines\r\nand\ttabs",
    "\x1b[31mred\x1b[0m \u202egnp.exe",
    "[link](https://evil.example) ![i](x) www.evil.example",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    '"quoted", with comma',
    r"\textbf{x} $y$ 50 % & # ^ ~ {}",
    "1. no list",
    "卡数 é",
    "",
)
