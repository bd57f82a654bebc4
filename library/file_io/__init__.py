"""The file system of `io.gfile`, TFRecord files, `train.Example` messages, and what all readers and
writers of files share.
"""
