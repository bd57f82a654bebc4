"""Graphs of the functions that ran, collected for TensorBoard."""

import pytest

import allograph as ag


@pytest.fixture
def writer(tmp_path):
    yield ag.summary.create_file_writer(tmp_path)
    ag.summary.trace_off()


def test_the_graphs_that_ran_are_written(writer, tmp_path):
    f = ag.function(lambda x: ag.tanh(x) * 2)
    ag.summary.trace_on()
    f(ag.constant(1.0))
    f(ag.constant(2.0))
    with writer.as_default():
        ag.summary.trace_export("f", step=0)
    (path,) = tmp_path.glob("events*")
    data = path.read_bytes()
    assert data.count(b"graph_run_metadata_graph") == 1
    assert data.count(b"Tanh") == 1


def test_a_profile_is_taken_too(writer, tmp_path):
    ag.summary.trace_on(profiler=True)
    ag.function(lambda x: ag.tanh(x))(ag.constant(1.0))
    with writer.as_default():
        ag.summary.trace_export("f", step=0, profiler_outdir=tmp_path / "profile")
    assert list((tmp_path / "profile").rglob("*.trace.json"))
    with pytest.raises(RuntimeError, match="no profile"):
        ag.profiler.experimental.stop()


def test_exporting_needs_a_trace_and_a_writer(writer):
    with writer.as_default(), pytest.raises(RuntimeError, match="trace_on"):
        ag.summary.trace_export("f", step=0)
    ag.summary.trace_on()
    with pytest.raises(RuntimeError, match="default writer"):
        ag.summary.trace_export("f", step=0)


def test_tensorboard_reads_the_graph(writer, tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    config = pytest.importorskip("tensorboard.compat.proto.config_pb2")
    ag.summary.trace_on()
    ag.function(lambda x: ag.tanh(x) * 2)(ag.constant(1.0))
    with writer.as_default():
        ag.summary.trace_export("f", step=0)
    (found,) = accumulator.EventAccumulator(str(tmp_path)).Reload().Tensors("f")
    metadata = config.RunMetadata.FromString(found.tensor_proto.string_val[0])
    nodes = metadata.function_graphs[0].pre_optimization_graph.node
    assert [node.op for node in nodes] == ["Placeholder", "Tanh", "Const", "Multiply", "Identity"]
