"""Weights to begin with: of --save-checkpoint, or a BERT in the names of NVIDIA's programs and of Hugging Face."""

import sys

import torch

# Theirs and ours, in this order: NVIDIA's layers end with an activation and say so, TensorFlow's norms have gammas.
NAMES = (
    ("module.", ""),
    (".dense_act.", ".dense."),
    ("LayerNorm.gamma", "LayerNorm.weight"),
    ("LayerNorm.beta", "LayerNorm.bias"),
    ("bert.embeddings.word_embeddings.", "encoder.words."),
    ("bert.embeddings.position_embeddings.weight", "encoder.positions"),
    ("bert.embeddings.token_type_embeddings.weight", "encoder.segments"),
    ("bert.embeddings.LayerNorm.", "encoder.norm."),
    ("bert.encoder.layer.", "encoder.layers."),
    (".attention.output.dense.", ".out."),
    (".attention.output.LayerNorm.", ".norm1."),
    (".intermediate.dense.", ".up."),
    (".output.dense.", ".down."),
    (".output.LayerNorm.", ".norm2."),
    ("bert.pooler.dense.", "pooler."),
    ("cls.predictions.transform.dense.", "transform."),
    ("cls.predictions.transform.LayerNorm.", "norm."),
    ("cls.predictions.bias", "bias"),
    ("cls.seq_relationship.", "next_sentence."),
    ("qa_outputs.", "span."),
)
QUERY = ".attention.self.query."


def load(model, path):
    """Weights where name and shape agree; what is new, a head say, starts fresh. Gives the names that did not fit."""
    try:
        known = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, ValueError, EOFError) as error:
        sys.exit(
            f"{path.name} is no checkpoint of PyTorch: {str(error).splitlines()[0]}. Cure: one of --save-checkpoint"
        )
    except Exception as error:  # noqa: BLE001 - UnpicklingError, for what is pickled and no weight
        sys.exit(f"{path.name} holds more than weights: {str(error).splitlines()[0]}. Cure: save its state_dict alone")
    # NVIDIA's checkpoints hold the optimizer, too.
    known, own = renamed(known.get("model", known)), model.state_dict()
    fits = {name: padded(weight, own[name]) for name, weight in known.items() if name in own}
    fits = {name: weight for name, weight in fits.items() if weight.shape == own[name].shape}
    if not fits:
        sys.exit(f"{path.name} holds no weight of this model. Cure: one that --save-checkpoint wrote, of the same size")
    model.load_state_dict(fits, strict=False)
    return sorted(set(own) - set(fits))


def renamed(known):
    """Our names; queries, keys and values, which are three weights there, as our one."""
    weights = {}
    for name, weight in known.items():
        if QUERY in name:
            parts = [known[name.replace("query", part)] for part in ("query", "key", "value")]
            name, weight = name.replace(QUERY, ".qkv."), torch.cat(parts)
        for theirs, ours in NAMES:
            name = name.removeprefix(theirs) if theirs == "module." else name.replace(theirs, ours)
        weights[name] = weight
    return weights


def padded(weight, own):
    """With rows of nothing, where our vocabulary is theirs, rounded up."""
    missing = len(own) - len(weight) if weight.dim() and weight.shape[1:] == own.shape[1:] else 0
    if not 0 < missing < 64:
        return weight
    return torch.cat((weight, weight.new_zeros(missing, *weight.shape[1:])))
