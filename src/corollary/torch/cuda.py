"""Kernels in CUDA C, compiled when first needed by what PyTorch brings along: NVRTC and the driver."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor

#: Bytes of shared memory that the driver keeps for itself in each block.
RESERVED = 1024
#: Attributes of a kernel and of a device, as the driver numbers them.
_SHARED_MEMORY_OF_KERNEL = 8
_SHARED_MEMORY_OF_BLOCK = 97


@cache
def is_there() -> bool:
    """Whether kernels can be compiled and run here: PyTorch for CUDA, a GPU, NVRTC and the driver."""
    if torch.version.cuda is None or not torch.cuda.is_available():
        return False
    try:
        _nvrtc(), _driver()
    except OSError:
        return False
    return True


class Kernel:
    """A kernel `infer` of a file beside this one, compiled for one device with these definitions."""

    def __init__(self, file: str, device: torch.device, definitions: Mapping[str, object]):
        self._device = device
        self._shared_memory = -1
        code = _compiled(file, torch.cuda.get_device_capability(device), tuple(definitions.items()))
        module = ctypes.c_void_p()
        self._function = ctypes.c_void_p()
        with torch.cuda.device(device):
            torch.cuda.current_stream().synchronize()  # so that the driver has a context
            _check(_driver().cuModuleLoadData(ctypes.byref(module), code))
            _check(_driver().cuModuleGetFunction(ctypes.byref(self._function), module, b"infer"))

    def launch(
        self, blocks: int, threads: int, shared_memory: int, arguments: Sequence[Tensor | int]
    ) -> None:
        """Start it on the current stream; whole numbers go as 64 bits."""
        values = [ctypes.c_int64(x.data_ptr() if isinstance(x, Tensor) else x) for x in arguments]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        with torch.cuda.device(self._device):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if shared_memory > self._shared_memory:
                _check(
                    _driver().cuFuncSetAttribute(
                        self._function, _SHARED_MEMORY_OF_KERNEL, shared_memory
                    )
                )
                self._shared_memory = shared_memory
            _check(
                _driver().cuLaunchKernel(
                    self._function,
                    blocks,
                    1,
                    1,
                    threads,
                    1,
                    1,
                    shared_memory,
                    stream,
                    pointers,
                    None,
                )
            )


@cache
def shared_memory_of_block(device: torch.device) -> int:
    """How many bytes of shared memory a block may have at most."""
    found = ctypes.c_int()
    _check(
        _driver().cuDeviceGetAttribute(
            ctypes.byref(found), _SHARED_MEMORY_OF_BLOCK, device.index or 0
        )
    )
    return found.value


@cache
def _compiled(
    file: str, capability: tuple[int, int], definitions: tuple[tuple[str, object], ...]
) -> bytes:
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    size = ctypes.c_size_t()
    source = files(__package__).joinpath(file).read_bytes()
    options = [
        f"--gpu-architecture=sm_{capability[0]}{capability[1]}",
        "--std=c++17",
        "--ftz=true",
        *(f"-D{name}={x}" for name, x in definitions),
    ]
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, file.encode(), 0, None, None))
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    if nvrtc.nvrtcCompileProgram(program, len(options), given):
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        found = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, found)
        raise RuntimeError(
            f"{file} does not compile with {' '.join(options)}:\n{found.value.decode()}"
        )
    _check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
    code = ctypes.create_string_buffer(size.value)
    _check(nvrtc.nvrtcGetCUBIN(program, code))
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


@cache
def _nvrtc() -> Any:
    return ctypes.CDLL(
        f"libnvrtc.so.{str(torch.version.cuda).partition('.')[0]}"
    )  # which PyTorch has loaded


@cache
def _driver() -> Any:
    return ctypes.CDLL("libcuda.so.1")


def _check(error: int) -> None:
    if error:
        raise RuntimeError(
            f"CUDA's error {error}; see cudaError_enum and nvrtcResult in its documentation"
        )
