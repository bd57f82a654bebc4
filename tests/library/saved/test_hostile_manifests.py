"""A manifest from a stranger: what it says is checked before it is used."""

import json

import pytest

import allograph as ag
from allograph.library.saved.json_structures import decode

DataLossError = ag.errors.DataLossError


class Saved(ag.Module):
    def __init__(self):
        self.w = ag.Variable([1.0, 2.0])
        self.items = [ag.Variable(1), None]
        self.big = ag.constant([3.0, 4.0])

    @ag.function(input_signature=[ag.TensorSpec([2])])
    def f(self, x):
        return x * self.w + self.big


@pytest.fixture
def folder(tmp_path):
    ag.saved_model.save(Saved(), tmp_path / "saved")
    return tmp_path / "saved"


def change(folder, edit) -> None:
    """Edit the manifest."""
    path = folder / "saved_module.json"
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))


def of_kind(manifest, kind: str) -> dict:
    return next(one for one in manifest["objects"] if one["kind"] == kind)


def trace(manifest) -> dict:
    return of_kind(manifest, "function")["traces"][0]


EDITS = {
    "a file elsewhere": lambda m: m["files"].update(graphs="../" + m["files"]["graphs"]),
    "an absolute file": lambda m: m["files"].update(tensors="/etc/passwd"),
    "a parameter of another name": lambda m: of_kind(m, "function").update(
        parameters=[{**one, "name": "q"} for one in of_kind(m, "function")["parameters"]]
    ),
    "a long list": lambda m: of_kind(m, "list").update(size=10**12),
    "a short list": lambda m: of_kind(m, "list").update(size=0),
    "a list that is the root": lambda m: m["objects"].insert(0, of_kind(m, "list")),
    "an object that is not there": lambda m: m["objects"][0]["children"].update(w=99),
    "another kind of object": lambda m: m["objects"][0].update(kind="file"),
    "an attribute of modules": lambda m: m["objects"][0]["children"].update(_observers=1),
    "a variable of another shape": lambda m: of_kind(m, "variable").update(shape=[3]),
    "a variable of another dtype": lambda m: of_kind(m, "variable").update(dtype="nonsense"),
    "a dtype that NumPy would parse": lambda m: of_kind(m, "variable").update(dtype="9" * 5000),
    "an argument of such a dtype": lambda m: trace(m)["types"][0][1].update(
        TensorSpec=["2f4", [2], None]
    ),
    "another type of argument": lambda m: trace(m)["types"][0][1].update(
        TensorSpec=["float32", [9], None]
    ),
    "no argument": lambda m: trace(m).update(types=[]),
    "another captured tensor": lambda m: trace(m).update(captures=["w/x"]),
    "no captured tensor": lambda m: trace(m).update(captures=[]),
    "a captured tensor twice": lambda m: trace(m).update(captures=trace(m)["captures"] * 2),
    "more results": lambda m: trace(m).update(
        outputs={"tuple": [trace(m)["outputs"], trace(m)["outputs"]]}
    ),
    "a mode of compilation": lambda m: trace(m).update(jit_compile="os.system"),
    "a name that is none": lambda m: trace(m).update(name=["f"]),
    "a parameter that is none": lambda m: trace(m)["parameters"][0].update(name="x=open('y')"),
    "a parameter that is a keyword": lambda m: trace(m)["parameters"][0].update(
        name="class", kind="POSITIONAL_ONLY"
    ),
    "a graph that is not there": lambda m: trace(m).update(graph="f9"),
    "no objects": lambda m: m.update(objects=[]),
    "no files": lambda m: m.pop("files"),
    "a deep structure": lambda m: trace(m).update(outputs=json.loads('{"list":[' * 60 + "]}" * 60)),
    "a version that is no number": lambda m: m.update(version="1"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_changed_manifest_is_refused(folder, name):
    change(folder, EDITS[name])
    with pytest.raises(DataLossError, match="is damaged"):
        ag.saved_model.load(folder)


def test_tuples_may_not_be_nested_without_end(folder):
    def chain(manifest):
        first = len(manifest["objects"])
        manifest["objects"][0]["children"]["a"] = first
        for index in range(first, first + 9000):
            entry = {"kind": "tuple", "size": 1, "children": {"0": index + 1}}
            manifest["objects"].append(entry)
        manifest["objects"].append({"kind": "list", "size": 0, "children": {}})

    change(folder, chain)
    with pytest.raises(DataLossError, match="nested too deeply"):
        ag.saved_model.load(folder)


def test_a_tuple_does_not_contain_itself(folder):
    change(folder, lambda m: m["objects"].__setitem__(
        1, {"kind": "tuple", "size": 1, "children": {"0": 1}}))  # fmt: skip
    with pytest.raises(DataLossError):
        ag.saved_model.load(folder)


def test_keys_that_collide_take_no_time():
    modulus = 2**61 - 1  # numbers that differ by it have the same hash
    entries = [[{"int": modulus * number}, {"int": 0}] for number in range(20_000)]
    with pytest.raises(ValueError, match="20,000 keys, more than 10,000"):
        decode({"mapping": ["dict", entries]})


def test_a_function_that_uses_files_needs_permission(tmp_path):
    module = ag.Module()
    module.write = ag.function(
        lambda text: ag.io.write_file(str(tmp_path / "x"), text), [ag.TensorSpec([], ag.string)]
    )
    module.log = ag.function(
        lambda x: ag.print(x, output_stream=f"file://{tmp_path}/log"), [ag.TensorSpec([])]
    )
    for name in ("write", "log"):
        one = ag.Module()
        setattr(one, name, getattr(module, name))
        ag.saved_model.save(one, tmp_path / name)
        with pytest.raises(ag.errors.PermissionDeniedError, match="allow_files=True"):
            ag.saved_model.load(tmp_path / name)
        ag.saved_model.load(tmp_path / name, allow_files=True)


def test_saving_removes_no_file_of_another_folder(tmp_path, folder):
    (tmp_path / "mine.txt").write_text("mine")
    change(folder, lambda m: m["files"].update(graphs="../mine.txt"))
    ag.saved_model.save(Saved(), folder)
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["../mine", "/tmp/mine", "..\\mine"])
def test_a_list_of_checkpoints_names_no_file_of_another_folder(tmp_path, name):
    checkpoint = ag.train.Checkpoint(a=ag.Variable(1))
    checkpoint.write(tmp_path / "mine")
    manager = ag.train.CheckpointManager(checkpoint, tmp_path / "managed", max_to_keep=1)
    manager.save()
    path = tmp_path / "managed" / "checkpoint"
    state = json.loads(path.read_text())
    state["checkpoints"].insert(0, {"path": name, "time": 0.0})
    path.write_text(json.dumps(state))
    with pytest.raises(DataLossError, match="leaves the folder"):
        ag.train.CheckpointManager(checkpoint, tmp_path / "managed", max_to_keep=1)
    assert (tmp_path / "mine.safetensors").exists()


def test_a_checkpoint_of_a_folder_is_called_as_the_folder_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    manager = ag.train.CheckpointManager(ag.train.Checkpoint(), "./folder", max_to_keep=1)
    path = manager.save()
    assert path == ag.train.latest_checkpoint("./folder") == "./folder/ckpt-1"
