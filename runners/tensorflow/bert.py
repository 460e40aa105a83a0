"""BERT pre-training in TensorFlow. Prints the lines of NVIDIA's BERT in TensorFlow: settings, DLLogger, mean speeds.

    python runners/tensorflow/bert.py --batch-size 96 --precision fp16 --data DIR
    CUDA_VISIBLE_DEVICES=0,1,2,3 python runners/tensorflow/bert.py --batch-size 96 --precision fp16 --data DIR

One process trains on all GPUs that it sees; none seen, on the CPU.
"""

import sys
import time
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

# What the frameworks' programs share stands beside this folder; this one is started as a file.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.bert import DEFAULTS, SIZES, Batch, batches
from common.dllogger import DLLogger
from common.options import Clock, checked, known, learning_rate, parser

NORMAL = keras.initializers.TruncatedNormal(stddev=0.02)


def dense(width, **options):
    """A dense layer with BERT's weights to begin with."""
    return layers.Dense(width, kernel_initializer=NORMAL, **options)


class Pretraining(keras.Model):
    """Masked words and next sentence: a batch to its two losses."""

    def __init__(self, size, dropout, longest=512):
        # Its layers halve what they take themselves; the weights of the losses stay whole.
        super().__init__(autocast=False)
        width, count = size["width"], range(size["layers"])
        self.words = self.add_weight(shape=(size["vocabulary"], width), initializer=NORMAL, name="words")
        self.places = self.add_weight(shape=(longest, width), initializer=NORMAL, name="places")
        self.segments = self.add_weight(shape=(2, width), initializer=NORMAL, name="segments")
        self.bias = self.add_weight(shape=(size["vocabulary"],), initializer="zeros", name="bias")
        heads = {"num_heads": size["heads"], "key_dim": width // size["heads"], "kernel_initializer": NORMAL}
        self.attention = [layers.MultiHeadAttention(**heads, dropout=dropout) for _ in count]
        self.up, self.down = [dense(4 * width, activation="gelu") for _ in count], [dense(width) for _ in count]
        self.norms = [layers.LayerNormalization(epsilon=1e-12) for _ in range(2 * len(count) + 2)]
        self.drop = layers.Dropout(dropout)
        self.pooler, self.transform = dense(width, activation="tanh"), dense(width, activation="gelu")
        self.next_sentence = dense(2, dtype="float32")

    def call(self, batch, training=True):
        ids, segments, mask, positions, labels, weights, is_next = batch
        x = tf.gather(self.words, ids) + self.places[: ids.shape[1]] + tf.gather(self.segments, segments)
        x = self.drop(self.norms[-1](x), training=training)
        seen = tf.cast(mask[:, None, :], tf.bool)
        for place, (attention, up, down) in enumerate(zip(self.attention, self.up, self.down, strict=True)):
            y = attention(x, x, attention_mask=seen, training=training)
            x = self.norms[2 * place](x + self.drop(y, training=training))
            x = self.norms[2 * place + 1](x + self.drop(down(up(x)), training=training))
        hidden = self.norms[-2](self.transform(tf.gather(x, positions, batch_dims=1)))
        words = tf.cast(tf.matmul(hidden, tf.cast(self.words, hidden.dtype), transpose_b=True), tf.float32) + self.bias
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, words)
        next_sentence = self.next_sentence(self.pooler(x[:, 0]))
        next_loss = tf.nn.sparse_softmax_cross_entropy_with_logits(is_next, next_sentence)
        return tf.reduce_sum(each * weights) / tf.reduce_sum(weights), tf.reduce_mean(next_loss)


def devices(args):
    """The GPUs that this process sees; a missing GPU ends the run."""
    found = tf.config.list_physical_devices("GPU")
    if args.device == "cpu":
        tf.config.set_visible_devices([], "GPU")
        return []
    if args.device == "cuda" and not found:
        sys.exit(
            "TensorFlow finds no GPU. Cure: tensorflow[and-cuda], a driver that `nvidia-smi` answers; or --device cpu"
        )
    return found


def settings(args, gpus):
    """The program's flags, by the names that NVIDIA's has for them."""
    flags = {
        "implementation": "benchledger", "bert_model": args.model.removeprefix("bert_"),
        "train_batch_size": args.batch_size, "num_train_steps": args.max_iterations, "num_accumulation_steps": 1,
        "max_seq_length": args.seq_len,
        "max_predictions_per_seq": args.masked, "amp": args.precision == "fp16", "use_xla": False,
        "optimizer_type": args.optimizer, "tensorflow_version": tf.__version__,
    }  # fmt: skip
    for name, value in flags.items():
        say(f"  {name}: {value}")
    if gpus:
        say(f"hvd.size() = {len(gpus)} hvd.rank() = 0")


def say(text):
    """A line as TensorFlow 1 says it."""
    print(f"INFO:tensorflow:{text}", flush=True)


def main():
    args = checked(parser(__doc__.splitlines()[0], SIZES, precisions=("fp32", "fp16"), **DEFAULTS))
    gpus = devices(args)
    settings(args, gpus)
    log, rows = DLLogger(), args.batch_size * max(1, len(gpus))
    keras.utils.set_random_seed(args.seed)
    keras.mixed_precision.set_global_policy("mixed_float16" if args.precision == "fp16" else "float32")
    strategy = tf.distribute.MirroredStrategy() if len(gpus) > 1 else tf.distribute.get_strategy()
    with strategy.scope():
        model = Pretraining(SIZES[args.model], args.dropout)
        kind = keras.optimizers.Lamb if args.optimizer == "lamb" else keras.optimizers.AdamW
        optimizer = kind(args.learning_rate, weight_decay=0.01, epsilon=1e-6)
        if args.precision == "fp16":
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
        # All weights are made here, so that each GPU has them.
        example = next(batches(args, rows=rows))
        model(Batch(*(column[:1] for column in example)))
        optimizer.build(model.trainable_variables)
    shapes = Batch(*(tf.TensorSpec(column.shape, column.dtype) for column in example))
    data = tf.data.Dataset.from_generator(lambda: batches(args, rows=rows), output_signature=shapes).prefetch(2)

    def one(batch):
        with tf.GradientTape() as tape:
            masked, is_next = model(batch)
            # The optimizer adds up what the GPUs have found.
            scaled = optimizer.scale_loss((masked + is_next) / strategy.num_replicas_in_sync)
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(scaled, weights), weights, strict=True))
        return masked, is_next

    @tf.function
    def step(batch):
        parts = strategy.run(one, args=(batch,))
        return [strategy.reduce("mean", part, axis=None) for part in parts]

    clock, measured_s, measured = Clock(args), 0.0, 0
    for iteration, batch in clock.steps(iter(strategy.experimental_distribute_dataset(data))):
        optimizer.learning_rate = learning_rate(args, iteration)
        masked, is_next = step(batch)
        if clock.due(iteration):
            masked, is_next = float(masked), float(is_next)
            total = known(masked + is_next, iteration)
            clock.mark(iteration)
            values = {"throughput_train": round(rows / clock.step_s, 3), "mlm_loss": masked, "nsp_loss": is_next}
            values |= {"total_loss": total, "learning_rate": learning_rate(args, iteration)}
            log.line((iteration,), values, throughput_train="seq/s")
            # The first line holds the compilation.
            if iteration > clock.steps_done:
                measured_s, measured = measured_s + clock.step_s * clock.steps_done, measured + rows * clock.steps_done
    total_s = time.time() - clock.began
    say(f"Total Training Time = {total_s:.2f} for Sentences = {rows * args.max_iterations}")
    if measured:
        say(f"Total Training Time W/O Overhead = {measured_s:.2f} for Sentences = {measured}")
        say(f"Throughput Average (sentences/sec) with overhead = {rows * args.max_iterations / total_s:.2f}")
        say(f"Throughput Average (sentences/sec) = {measured / measured_s:.2f}")


if __name__ == "__main__":
    main()
