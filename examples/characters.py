"""Learn to write like Python's own documentation, one character after the other.

    python examples/characters.py [STEPS [FOLDER]]      (600 steps, FOLDER is demo-output)

The text is what `help()` shows about the language, which is part of Python. A recurrent network
reads windows of it and predicts each next character. Training and generation are loops on tensors
in plain Python, and the decorator turns each of them into one graph.
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag

layers = ag.keras.layers
WINDOW = 40
BATCH = 32
UNITS = 128
TOPICS = ("assert", "assignment", "break", "continue", "for", "if", "while", "try", "with")


def documentation():
    """The text, its alphabet, and the text as a vector of character ids."""
    from pydoc_data.topics import topics

    text = "\n".join(topics[name] for name in TOPICS if name in topics)
    alphabet = sorted(set(text))
    id_of = {character: character_id for character_id, character in enumerate(alphabet)}
    return text, alphabet, np.array([id_of[character] for character in text], np.int32)


class Writer(ag.keras.Model):
    """A recurrent network: the scores of each next character, and the last state."""

    def __init__(self, count):
        super().__init__()
        self.embedding = layers.Embedding(count, 32)
        self.memory = layers.GRU(UNITS, return_sequences=True, return_state=True)
        self.scores = layers.Dense(count)

    def call(self, ids, state=None):
        outputs, state = self.memory(self.embedding(ids), initial_state=state)
        return self.scores(outputs), state


def train(writer, optimizer, text, steps):
    """Train on `steps` random batches of windows; returns the loss of each step."""
    losses = ag.zeros([steps])
    for step in ag.range(steps):
        starts = ag.random.uniform([BATCH, 1], 0, text.shape[0] - WINDOW - 1, ag.int32)
        windows = ag.gather(text, starts + ag.range(WINDOW + 1))
        with ag.GradientTape() as tape:
            scores, _ = writer(windows[:, :-1])
            loss = ag.reduce_mean(
                ag.nn.sparse_softmax_cross_entropy_with_logits(windows[:, 1:], scores)
            )
        gradients = tape.gradient(loss, writer.trainable_variables)
        optimizer.apply_gradients(zip(gradients, writer.trainable_variables, strict=True))
        losses[step] = loss
    return losses


def write(writer, first, max_length, stop, temperature):
    """Generate at most `max_length` characters, up to the character `stop`."""
    generated = ag.TensorArray(ag.int32, size=max_length)
    state = ag.zeros([1, UNITS])
    character_id, count = first, 0
    while count < max_length:
        scores, state = writer(ag.reshape(character_id, [1, 1]), state)
        character_id = ag.random.categorical(scores[0] / temperature, 1, dtype=ag.int32)[0, 0]
        if character_id == stop:
            break
        generated = generated.write(count, character_id)
        count += 1
    return generated.stack()[:count]


def save_curve(folder, losses):
    """`characters.png`: the loss, step by step."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.2))
    axes.plot(range(1, len(losses) + 1), losses)
    axes.set(xlabel="step", ylabel="nats a character", title="Guessing the next character")
    figure.savefig(folder / "characters.png", dpi=150, bbox_inches="tight")
    pyplot.close(figure)


def main(steps: int | str = 600, folder="demo-output"):
    steps, folder = int(steps), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text, alphabet, ids = documentation()
    print(f"{len(text)} characters to learn from, {len(alphabet)} different ones.")
    ag.random.set_seed(1)
    writer = Writer(len(alphabet))
    optimizer = ag.keras.optimizers.Adam(3e-3, clipnorm=1.0)
    start = time.perf_counter()
    losses = ag.function(train)(writer, optimizer, ag.constant(ids), steps).numpy()
    seconds = time.perf_counter() - start
    early, late = losses[:10].mean(), losses[-10:].mean()
    print(f"{steps} steps in {seconds:.1f} s: from {early:.2f} to {late:.2f} nats a character.\n")

    first, stop = (ag.constant(alphabet.index(one)) for one in ("T", "*"))
    generated = ag.function(write)(writer, first, 400, stop, ag.constant(0.6)).numpy()
    print("T" + "".join(alphabet[character_id] for character_id in generated))
    save_curve(folder, losses)
    print(f"\nCurve: {folder}/characters.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
