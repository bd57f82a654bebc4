"""The file system of `io.gfile`, TFRecord files, and `train.Example` messages."""
