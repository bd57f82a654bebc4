"""The model of `words`."""


def tokens(text):
    word = ""
    for letter in text:
        if letter.isalpha():
            word += letter.lower()
        elif word:
            yield word
            word = ""
    if word:
        yield word


def counted(text):
    counts = {}
    for word in tokens(text):
        counts[word] = counts.get(word, 0) + 1
    return counts
