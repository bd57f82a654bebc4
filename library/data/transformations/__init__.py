"""The nodes behind the methods of `Dataset`, each a pass over the elements of its inputs."""
