"""Checkpoints: values find their variables again, now or later, and files are whole."""

import copy
import os
import pickle
import time

import numpy as np
import pytest

import allograph as ag
from allograph.library.data.elements.nodes import Remaining
from allograph.library.saved.tensor_file import read_tensors, write_tensors


class Net(ag.Module):
    def __init__(self, start=0.0):
        self.layers = [ag.Variable([start, start]), ag.Variable(start)]
        self.by_name = {"bias": ag.Variable(start, name="bias")}


class Lazy(ag.Module):
    """Its variable is made by the first call, inside a graph."""

    @ag.function
    def __call__(self, x):
        if not hasattr(self, "w"):
            self.w = ag.Variable(ag.zeros_like(x))
        return self.w + x


@pytest.fixture
def prefix(tmp_path):
    return str(tmp_path / "training" / "ckpt")


def values_of(module):
    return [variable.numpy().tolist() for variable in module.variables]


class TestRoundTrip:
    def test_values_come_back(self, prefix):
        net, step = Net(1.0), ag.Variable(7)
        path = ag.train.Checkpoint(net=net, step=step).save(prefix)
        assert path == prefix + "-1"
        other, other_step = Net(), ag.Variable(0)
        status = ag.train.Checkpoint(net=other, step=other_step).restore(path)
        status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
        assert values_of(other) == values_of(net) and int(other_step) == 7

    def test_a_root_is_saved_under_its_own_names(self, prefix):
        path = ag.train.Checkpoint(Net(2.0)).write(prefix)
        assert path == prefix
        holder = ag.Module()
        holder.layers = [ag.Variable([0.0, 0.0])]
        ag.train.Checkpoint(holder).read(path).expect_partial()
        assert holder.layers[0].numpy().tolist() == [2.0, 2.0]

    def test_each_save_counts_up(self, prefix):
        checkpoint = ag.train.Checkpoint(v=ag.Variable(0))
        paths = [checkpoint.save(prefix) for _ in range(3)]
        assert paths == [f"{prefix}-{n}" for n in (1, 2, 3)]
        again = ag.train.Checkpoint(v=ag.Variable(0))
        again.restore(paths[1])
        assert int(again.save_counter) == 2
        assert again.save(prefix) == prefix + "-3"

    @pytest.mark.parametrize("value", [["text", ""], [1 + 2j], [True], np.float16([1.5]), 3])
    def test_every_type_of_value(self, prefix, value):
        variable = ag.Variable(value)
        other = ag.Variable(ag.zeros_like(variable))
        path = ag.train.Checkpoint(v=variable).write(prefix)
        ag.train.Checkpoint(v=other).read(path).assert_consumed()
        np.testing.assert_array_equal(other.numpy(), variable.numpy())

    def test_what_is_shared_is_stored_once(self, prefix):
        v = ag.Variable(1.0)
        path = ag.train.Checkpoint(a=v, b=v).write(prefix)
        assert ag.train.list_variables(path) == [("a", []), ("save_counter", [])]
        other = ag.Variable(0.0)
        ag.train.Checkpoint(b=other).read(path)
        assert float(other) == 1.0

    def test_the_program_may_be_restored_in_the_middle_of_its_work(self, prefix):
        v = ag.Variable(1.0)
        double = ag.function(lambda: v.assign(v * 2.0))
        checkpoint = ag.train.Checkpoint(v=v)
        path = checkpoint.save(prefix)
        double(), double()
        checkpoint.restore(path)
        assert float(double()) == 2.0

    def test_a_later_save_holds_the_later_values(self, prefix):
        v = ag.Variable(1)
        checkpoint = ag.train.Checkpoint(v=v)
        checkpoint.write(prefix)
        v.assign(2)
        checkpoint.write(prefix)
        assert ag.train.load_variable(prefix, "v") == 2


class TestMatching:
    def test_left_over_values_are_named(self, prefix):
        path = ag.train.Checkpoint(a=ag.Variable(1), b=ag.Variable(2)).write(prefix)
        status = ag.train.Checkpoint(a=ag.Variable(0)).read(path)
        status.assert_existing_objects_matched().expect_partial()
        with pytest.raises(AssertionError, match="no variable was given: b$"):
            status.assert_consumed()

    def test_variables_without_a_value_are_named(self, prefix):
        path = ag.train.Checkpoint(a=ag.Variable(1)).write(prefix)
        status = ag.train.Checkpoint(a=ag.Variable(0), net=Net()).read(path)
        status.assert_nontrivial_match()
        with pytest.raises(AssertionError, match="net/layers/0, net/layers/1"):
            status.assert_existing_objects_matched()

    def test_nothing_in_common(self, prefix):
        path = ag.train.Checkpoint(a=ag.Variable(1)).write(prefix)
        with pytest.raises(AssertionError, match="nothing in the checkpoint"):
            ag.train.Checkpoint(b=ag.Variable(1)).read(path).assert_nontrivial_match()

    def test_restoring_nothing(self):
        v = ag.Variable(5)
        status = ag.train.Checkpoint(v=v).restore(None)
        assert int(v) == 5
        with pytest.raises(AssertionError):
            status.assert_consumed()

    @pytest.mark.parametrize("wrong", [[1.0, 2.0], 1], ids=["shape", "type"])
    def test_what_does_not_fit_changes_nothing(self, prefix, wrong):
        path = ag.train.Checkpoint(a=ag.Variable(1.0), b=ag.Variable(2.0)).write(prefix)
        a, b = ag.Variable(0.0), ag.Variable(wrong, name="wrong")
        with pytest.raises(ValueError, match="cannot restore 'wrong:0'"):
            ag.train.Checkpoint(a=a, b=b).read(path)
        assert float(a) == 0.0

    def test_values_without_variables_are_refused(self):
        for thing in (1, "text", np.ones(2), ag.constant(1), ag.function(lambda: 1)):
            with pytest.raises(ValueError, match="'thing' is .*, which has no variables"):
                ag.train.Checkpoint(thing=thing)


class TestVariablesMadeLater:
    def test_a_variable_gets_its_value_when_it_becomes_an_attribute(self, prefix):
        path = ag.train.Checkpoint(net=Net(3.0)).write(prefix)
        holder = ag.Module()
        status = ag.train.Checkpoint(net=holder).read(path)
        holder.by_name = {"bias": ag.Variable(0.0)}
        assert float(holder.by_name["bias"]) == 3.0
        holder.layers = [ag.Variable([0.0, 0.0]), ag.Variable(0.0)]
        assert float(holder.layers[1]) == 3.0
        status.assert_consumed()

    def test_a_variable_that_is_gone_has_no_value_while_others_are_awaited(self, prefix):
        path = ag.train.Checkpoint(net=Net(3.0)).write(prefix)
        waiting = ag.train.Checkpoint(net=ag.Module())
        waiting.read(path)
        variable = ag.Variable(1.0)
        f = ag.function(lambda: variable + 1.0).get_concrete_function()
        variable.handle.release()
        with pytest.raises(ag.errors.FailedPreconditionError, match="no longer exists"):
            f()

    def test_a_module_made_later_is_restored_as_a_whole(self, prefix):
        path = ag.train.Checkpoint(model=_holding(net=Net(3.0))).write(prefix)
        model = ag.Module()
        ag.train.Checkpoint(model=model).read(path)
        model.net = ag.Module()
        model.net.layers = Net().layers
        assert float(model.net.layers[1]) == 3.0

    def test_a_value_is_given_once(self, prefix):
        path = ag.train.Checkpoint(model=_holding(v=ag.Variable(3.0))).write(prefix)
        model = ag.Module()
        status = ag.train.Checkpoint(model=model).read(path)
        model.v = ag.Variable(0.0)
        model.v.assign(10.0)
        status.assert_consumed()
        assert float(model.v) == 10.0

    def test_a_variable_of_the_first_call_starts_with_the_stored_value(self, prefix):
        lazy = Lazy()
        lazy(ag.constant(1.0))
        lazy.w.assign(5.0)
        path = ag.train.Checkpoint(model=lazy).write(prefix)
        other = Lazy()
        status = ag.train.Checkpoint(model=other).read(path)
        assert float(other(ag.constant(1.0))) == 6.0
        status.assert_consumed()

    def test_what_waits_does_not_hinder_copies(self, prefix):
        path = ag.train.Checkpoint(model=Net(3.0)).write(prefix)
        model = ag.Module()
        ag.train.Checkpoint(model=model).read(path)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            other.layers = Net().layers
            assert float(other.layers[1]) == 0.0


class TestContainersFilledLater:
    @pytest.fixture
    def restored(self, prefix):
        """A module with an empty list and dictionary, for which a checkpoint has values."""
        whole = _holding(rows=[ag.Variable(3.0), ag.Variable(4.0)], named={"a": ag.Variable(5.0)})
        path = ag.train.Checkpoint(model=whole).write(prefix)
        model = _holding(rows=[], named={})
        self.checkpoint = ag.train.Checkpoint(model=model)
        self.status = self.checkpoint.restore(path)
        return model

    def test_what_is_appended_has_the_stored_value(self, restored):
        restored.rows += [ag.Variable(0.0), ag.Variable(0.0)]
        restored.named["a"] = ag.Variable(0.0)
        assert [float(row) for row in restored.rows] == [3.0, 4.0]
        assert float(restored.named["a"]) == 5.0
        self.status.assert_consumed()

    def test_also_a_variable_that_was_read_before(self, restored):
        row = ag.Variable(0.0)
        assert float(row) == 0.0
        restored.rows.append(row)
        assert float(row) == 3.0

    def test_and_a_list_that_takes_the_place_of_another(self, restored):
        restored.rows = []
        restored.rows.append(ag.Variable(0.0))
        assert float(restored.rows[0]) == 3.0

    def test_changes_add_to_the_stored_value_and_are_saved(self, restored, prefix):
        restored.rows.append(ag.Variable(0.0))
        restored.rows[0].assign_add(1.0)
        restored.named["a"] = ag.Variable(0.0)
        restored.named["a"].assign(7.0)
        path = self.checkpoint.write(prefix + "2")
        assert ag.train.load_variable(path, "model/rows/0") == 4.0
        assert ag.train.load_variable(path, "model/named/a") == 7.0

    def test_a_layer_built_by_a_later_call(self, prefix):
        dense = ag.keras.layers.Dense(1, kernel_initializer="ones")
        dense(ag.ones([1, 2]))
        path = ag.train.Checkpoint(model=_holding(layers=[dense])).write(prefix)
        model = _holding(layers=[])
        ag.train.Checkpoint(model=model).restore(path)
        model.layers.append(ag.keras.layers.Dense(1, kernel_initializer="zeros"))
        assert ag.function(model.layers[0])(ag.ones([1, 2])).numpy().tolist() == [[2.0]]

    def test_other_variables_keep_their_values(self, restored):
        other = ag.Variable(9.0)
        assert other.is_initialized() and float(other) == 9.0
        del self.checkpoint, self.status
        assert float(other) == 9.0


class TestIterators:
    def numbers(self):
        numbers = ag.data.Dataset.range(20).shuffle(7).repeat(2).batch(3)
        return iter(numbers.map(lambda x: x + 1).prefetch(1))

    def rest(self, numbers):
        return [batch.tolist() for batch in map(np.asarray, numbers)]

    def test_one_is_rewound(self, prefix):
        numbers = self.numbers()
        for _ in range(8):
            next(numbers)
        checkpoint = ag.train.Checkpoint(iterator=numbers)
        path = checkpoint.save(prefix)
        rest = self.rest(numbers)
        checkpoint.restore(path).assert_consumed()
        assert self.rest(numbers) == rest

    def test_one_of_another_process_continues_with_the_same_order(self, prefix):
        numbers = self.numbers()
        next(numbers)
        path = ag.train.Checkpoint(train=_holding(numbers=numbers)).save(prefix)
        other = self.numbers()
        ag.train.Checkpoint(train=_holding(numbers=other)).restore(path)
        assert self.rest(other) == self.rest(numbers)

    def test_one_over_another_dataset_is_an_error(self, prefix):
        path = ag.train.Checkpoint(iterator=self.numbers()).save(prefix)
        other = ag.train.Checkpoint(iterator=iter(ag.data.Dataset.range(3)))
        with pytest.raises(ValueError, match="over another dataset"):
            other.restore(path)

    def test_one_over_the_rest_of_another_is_refused(self, prefix):
        numbers = iter(ag.data.Dataset.range(9))
        rest = iter(ag.data.Dataset._create(Remaining, [numbers.handle], numbers.element_spec))
        with pytest.raises(RuntimeError, match="Save the other iterator"):
            ag.train.Checkpoint(iterator=rest).save(prefix)


def _holding(**parts):
    module = ag.Module()
    for name, part in parts.items():
        setattr(module, name, part)
    return module


class TestFolders:
    def test_the_latest_checkpoint_is_found(self, prefix):
        folder = os.path.dirname(prefix)
        assert ag.train.latest_checkpoint(folder) is None
        checkpoint = ag.train.Checkpoint(v=ag.Variable(0))
        checkpoint.save(prefix)
        path = checkpoint.save(prefix)
        assert ag.train.latest_checkpoint(folder) == path
        state = ag.train.get_checkpoint_state(folder)
        assert state.all_model_checkpoint_paths == [prefix + "-1", path]
        os.remove(path + ".safetensors")
        assert ag.train.latest_checkpoint(folder) is None

    def test_a_folder_can_be_moved(self, prefix, tmp_path):
        ag.train.Checkpoint(v=ag.Variable(4)).save(prefix)
        os.rename(os.path.dirname(prefix), tmp_path / "moved")
        v = ag.Variable(0)
        path = ag.train.latest_checkpoint(tmp_path / "moved")
        ag.train.Checkpoint(v=v).restore(path)
        assert int(v) == 4

    def test_a_reader_looks_into_a_checkpoint(self, prefix):
        ag.train.Checkpoint(net=Net(1.0)).save(prefix)
        reader = ag.train.load_checkpoint(os.path.dirname(prefix))
        assert reader.has_tensor("net/layers/0") and not reader.has_tensor("net")
        assert reader.get_tensor("net/layers/1/.ATTRIBUTES/VARIABLE_VALUE") == 1.0
        assert reader.get_variable_to_shape_map()["net/layers/0"] == [2]
        assert reader.get_variable_to_dtype_map()["save_counter"] == ag.int64
        with pytest.raises(ag.errors.NotFoundError, match="It has net/by_name/bias"):
            reader.get_tensor("nothing")

    def test_a_missing_checkpoint_is_told(self, prefix):
        with pytest.raises(ag.errors.NotFoundError, match="there is no file"):
            ag.train.Checkpoint(v=ag.Variable(0)).restore(prefix)

    def test_no_checkpoints_while_tracing(self, prefix):
        checkpoint = ag.train.Checkpoint(v=ag.Variable(0))
        with pytest.raises(RuntimeError, match="while a function is traced"):
            ag.function(lambda: checkpoint.save(prefix))()


class TestManager:
    def manager(self, folder, **options):
        options = {"max_to_keep": 2, **options}
        self.v = ag.Variable(0)
        return ag.train.CheckpointManager(ag.train.Checkpoint(v=self.v), folder, **options)

    def test_only_the_newest_are_kept(self, tmp_path):
        manager = self.manager(tmp_path)
        paths = [manager.save() for _ in range(4)]
        assert manager.checkpoints == paths[2:] and manager.latest_checkpoint == paths[3]
        assert {path.name for path in tmp_path.iterdir()} == {
            "checkpoint", "ckpt-3.safetensors", "ckpt-4.safetensors"
        }  # fmt: skip
        assert ag.train.latest_checkpoint(tmp_path) == paths[3]

    def test_none_keeps_all(self, tmp_path):
        manager = self.manager(tmp_path, max_to_keep=None)
        paths = [manager.save() for _ in range(4)]
        assert manager.checkpoints == paths

    def test_a_new_manager_goes_on(self, tmp_path):
        manager = self.manager(tmp_path)
        self.v.assign(5)
        manager.save(), manager.save()
        again = self.manager(tmp_path)
        assert again.checkpoints == manager.checkpoints
        assert again.restore_or_initialize() == manager.latest_checkpoint
        assert int(self.v) == 5
        assert again.save().endswith("ckpt-3")
        assert len(again.checkpoints) == 2

    def test_the_first_start_calls_init_fn(self, tmp_path):
        called = []
        manager = self.manager(tmp_path, init_fn=lambda: called.append(1))
        assert manager.restore_or_initialize() is None and called == [1]

    def test_an_own_number_and_name(self, tmp_path):
        manager = self.manager(tmp_path, checkpoint_name="model")
        assert manager.save(checkpoint_number=40) == str(tmp_path / "model-40")

    def test_too_early_is_not_saved(self, tmp_path):
        step = ag.Variable(0)
        manager = self.manager(tmp_path, step_counter=step, checkpoint_interval=10)
        saved = []
        for _ in range(21):
            saved.append(manager.save() is not None)
            step.assign_add(1)
        assert [place for place, was in enumerate(saved) if was] == [0, 10, 20]
        assert manager.save(check_interval=False) is not None

    def test_one_every_so_often_is_kept_for_good(self, tmp_path, monkeypatch):
        now = [1000.0]
        monkeypatch.setattr(time, "time", lambda: now[0])
        manager = self.manager(tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=1)
        for _ in range(5):
            now[0] += 1900
            manager.save()
        assert sorted(path.name for path in tmp_path.glob("*.safetensors")) == [
            "ckpt-2.safetensors", "ckpt-4.safetensors", "ckpt-5.safetensors"
        ]  # fmt: skip

    def test_wrong_options_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match="max_to_keep"):
            self.manager(tmp_path, max_to_keep=0)
        with pytest.raises(ValueError, match="step_counter"):
            self.manager(tmp_path, checkpoint_interval=3)


# ---- whole files -----------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut_short_is_refused(prefix, share):
    path = ag.train.Checkpoint(v=ag.Variable(np.arange(1000.0))).write(prefix) + ".safetensors"
    with open(path, "rb") as handle:
        content = handle.read()
    with open(path, "wb") as handle:
        handle.write(content[: int(len(content) * share)])
    v = ag.Variable(np.zeros(1000))
    with pytest.raises(ag.errors.DataLossError, match="is damaged"):
        ag.train.Checkpoint(v=v).read(prefix)
    assert not v.numpy().any()


def test_a_changed_bit_is_noticed(prefix):
    path = ag.train.Checkpoint(v=ag.Variable(np.arange(1000.0))).write(prefix) + ".safetensors"
    with open(path, "r+b") as handle:
        handle.seek(-100, os.SEEK_END)
        handle.write(b"\xff")
    with pytest.raises(ag.errors.DataLossError, match="checksum"):
        ag.train.Checkpoint().read(prefix)


def test_tensors_lie_aligned_whatever_stands_between(tmp_path):
    values = [[True] * 3, np.ones(2), ["abc"], np.complex64([1j]), np.float32([1.0]), np.int8(1)]
    arrays = {str(place): ag.constant(value).numpy() for place, value in enumerate(values)}
    write_tensors(tmp_path / "t", {name: np.asarray(array) for name, array in arrays.items()}, {})
    found, _ = read_tensors(tmp_path / "t")
    for name, array in arrays.items():
        assert found[name].flags.aligned and found[name].dtype == np.asarray(array).dtype
        np.testing.assert_array_equal(found[name], array)


def test_a_file_of_another_writer_is_read(tmp_path):
    header = b'{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, '
    header += b'"b": {"dtype": "F64", "shape": [1], "data_offsets": [1, 9]}}'
    data = b"\x07" + np.float64(1.5).tobytes()
    (tmp_path / "t").write_bytes(len(header).to_bytes(8, "little") + header + data)
    found, about = read_tensors(tmp_path / "t")
    assert found["a"].tolist() == [7] and found["b"].tolist() == [1.5] and about == {}
    assert found["b"].flags.aligned


def test_an_error_while_writing_leaves_the_old_file(prefix, monkeypatch):
    v = ag.Variable(1.0)
    checkpoint = ag.train.Checkpoint(v=v)
    checkpoint.write(prefix)
    v.assign(2.0)
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        checkpoint.write(prefix)
    assert ag.train.load_variable(prefix, "v") == 1.0
    assert os.listdir(os.path.dirname(prefix)) == ["ckpt.safetensors"]
