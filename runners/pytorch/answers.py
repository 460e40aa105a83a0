"""SQuAD's own scores: each question's best span over all its windows, as exact match and F1 of words, in percent."""

import re
import string
from collections import Counter
from contextlib import nullcontext

import torch

# As the paper has it: no answer is longer, and so many starts and ends are tried.
LONGEST, TRIED = 30, 20


def scores(trainer, questions, half):
    """(exact match, F1) over `questions`: (windows, text, answers that are right) each."""
    trainer.model.eval()
    exact, f1 = [], []
    for windows, text, right in questions:
        said = best(trainer, windows, text, half)
        exact.append(max(normal(said) == normal(answer) for answer in right))
        f1.append(max(overlap(normal(said).split(), normal(answer).split()) for answer in right))
    trainer.model.train()
    return 100 * sum(exact) / len(exact), 100 * sum(f1) / len(f1)


@torch.no_grad()
def best(trainer, windows, text, half):
    """The text of the likeliest span; nothing where no window holds one."""
    columns = [[window.ids for window in windows], [window.type_ids for window in windows]]
    columns.append([window.attention_mask for window in windows])
    with torch.autocast(trainer.device.type, half) if half else nullcontext():
        starts, ends = trainer.model.spans(*(torch.tensor(column, device=trainer.device) for column in columns))
    found = (float("-inf"), "")
    for window, start_logits, end_logits in zip(windows, starts.float().cpu(), ends.float().cpu(), strict=True):
        # The answer is in the text, never in the question or the padding.
        outside = torch.tensor([kind != 1 for kind in window.sequence_ids])
        tops = [logits.masked_fill(outside, -1e9).topk(TRIED) for logits in (start_logits, end_logits)]
        for start_score, start in zip(*(values.tolist() for values in tops[0]), strict=True):
            for end_score, end in zip(*(values.tolist() for values in tops[1]), strict=True):
                if start <= end < start + LONGEST and start_score + end_score > max(found[0], -1e8):
                    found = start_score + end_score, text[window.offsets[start][0] : window.offsets[end][1]]
    return found[1]


def normal(text):
    """Without case, punctuation and articles: what SQuAD compares."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def overlap(said, right):
    """F1 of two lists of words."""
    common = sum((Counter(said) & Counter(right)).values())
    return 2 * common / (len(said) + len(right)) if common else float(said == right)
