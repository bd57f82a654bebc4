"""Operations, the graph, its passes, code generation and the executors. The folders below follow
the pipeline.
"""
