"""Assembly in Intel's syntax is what LLVM writes in it."""

import json
import os
import platform
import re
import subprocess
import sys

import pytest

from allograph.library.explore.intel_syntax import intel

LINES = {
    "\tmovl\t%edi, 64(%rsp,%rcx,4)": "\tmov\tdword ptr [rsp + 4*rcx + 64], edi",
    "\tmovq\t-8(%r15,%rcx), %rax": "\tmov\trax, qword ptr [r15 + rcx - 8]",
    "\tmovslq\t(%rdi), %rax": "\tmovsxd\trax, dword ptr [rdi]",
    "\tmovzbl\t%al, %eax": "\tmovzx\teax, al",
    "\tcmovll\t%edx, %edi": "\tcmovl\tedi, edx",
    "\tleaq\tname(%rip), %rdi": "\tlea\trdi, [rip + name]",
    "\tvmovq\t%xmm0, %rax": "\tvmovq\trax, xmm0",
    "\tvaddps\t.L(%rip){1to16}, %zmm1, %zmm2 {%k1}": "\tvaddps\tzmm2 {k1}, zmm1, [rip + .L]{1to16}",
    "\tcallq\t*%rax": "\tcall\trax",
    "\tretq": "\tret",
    "\tcltq": "\tcdqe",
    ".LBB0_1:": ".LBB0_1:",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_in_intel_syntax(line):
    assert intel(line) == LINES[line]


PROGRAM = """
import json, sys
import llvmlite.binding as llvm
if sys.argv[1] == "intel":
    llvm.set_option("", "-x86-asm-syntax=intel")
import allograph as ag

def settle(x):
    while ag.reduce_max(x) > 3.0:
        x = ag.tanh(x) * 2.0 + ag.sqrt(x)
    whole = ag.cast(x, ag.int64)
    return ag.reduce_sum(x), whole // 3, ag.sort(x), ag.cumsum(whole), ag.argmax(x)

page = ag.explore(settle, ag.TensorSpec([37], ag.float32))
print(json.dumps([line for kernel in page.data["kernels"] for line in kernel["assembly"]["lines"]]))
"""


def assembly(syntax, folder):
    command = [sys.executable, "-P", "-c", PROGRAM, syntax]
    environment = os.environ | {"ALLOGRAPH_CACHE_DIR": str(folder / syntax)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return json.loads(done.stdout)


def words(line):
    """A line without comments and margins, and without sizes of memory, which LLVM always says."""
    return re.sub(r"\b\w+ ptr |#.*", "", line).split()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the syntax is of x86")
def test_kernels_in_intel_syntax_are_what_llvm_writes(tmp_path):
    pytest.importorskip("llvmlite")
    ours, theirs = assembly("att", tmp_path), assembly("intel", tmp_path)
    assert len(ours) > 300
    for line, expected in zip(ours, theirs, strict=True):
        assert words(intel(line)) == words(expected), line
