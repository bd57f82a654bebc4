"""A small language model, trained on the text that Python's own `help()` shows.

    python examples/gallery/language_model.py [FOLDER [STEPS]]

It sees twelve characters. Method: Bengio et al., "A neural probabilistic language model", 2003.
"""

import re
import sys
import textwrap
from pathlib import Path
from pydoc_data.topics import topics

import allograph as ag

CONTEXT, WIDTH, UNITS, BATCH = 12, 16, 128, 64
TEXT = re.sub(r"([*=|+-]{2,}|\s)+", " ", " ".join(topics.values()))  # without tables
ALPHABET = sorted(set(TEXT))
IDS = ag.constant([ALPHABET.index(character) for character in TEXT], ag.int32)

draw = ag.random.Generator.from_seed(1)
shapes = [len(ALPHABET), WIDTH], [CONTEXT * WIDTH, UNITS], [UNITS], [UNITS, len(ALPHABET)]
WEIGHTS = [ag.Variable(draw.normal(shape, stddev=0.1)) for shape in shapes]
adam = ag.keras.optimizers.Adam(learning_rate=3e-3)


def scores(contexts):
    """The logits (batch, characters) of what follows `contexts` (batch, CONTEXT)."""
    embedding, hidden, bias, output = WEIGHTS
    seen = ag.reshape(ag.gather(embedding, contexts), [-1, CONTEXT * WIDTH])
    return ag.tanh(seen @ hidden + bias) @ output


@ag.function
def train(steps):
    """Trains for `steps` batches; returns the loss of each, in nats per character."""
    losses = ag.zeros([steps])
    for step in ag.range(steps):
        starts = draw.uniform([BATCH, 1], maxval=ag.size(IDS) - CONTEXT, dtype=ag.int32)
        windows = ag.gather(IDS, starts + ag.range(CONTEXT + 1))
        with ag.GradientTape() as tape:
            logits, wanted = scores(windows[:, :CONTEXT]), windows[:, CONTEXT]
            loss = ag.reduce_mean(ag.nn.sparse_softmax_cross_entropy_with_logits(wanted, logits))
        adam.apply_gradients(zip(tape.gradient(loss, WEIGHTS), WEIGHTS, strict=True))
        losses[step] = loss
    return losses


@ag.function
def write(context, count):
    """The ids of `count` characters after `context`, each drawn as the model expects."""
    ids = ag.zeros([count], ag.int32)
    for k in ag.range(count):
        noise = -ag.math.log(-ag.math.log(draw.uniform([1, len(ALPHABET)], 1e-6, 1.0)))
        ids[k] = ag.argmax(scores(context[None]) / 0.7 + noise, 1, ag.int32)[0]
        context = ag.concat([context[1:], ids[k : k + 1]], 0)
    return ids


def main(folder=".", steps="3000"):
    import matplotlib.pyplot as plt

    losses = train(int(steps)).numpy()
    print(f"{steps} steps: from {losses[:9].mean():.2f} to {losses[-99:].mean():.2f} nats")
    ids = write(IDS[:CONTEXT], ag.constant(500))
    words = textwrap.fill("".join(ALPHABET[k] for k in ids.numpy()), 60)
    _, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    left.plot(losses, linewidth=0.3)
    left.set(xlabel="step", ylabel="nats per character")
    right.text(0, 1, words, parse_math=False, va="top", family="monospace", fontsize=8)
    right.axis("off")
    plt.savefig(Path(folder) / "language_model.png")
    print(f"{words}\nthe picture is in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
