"""`keras.ops`: functions of tensors under the names, arguments and data types of Keras."""
