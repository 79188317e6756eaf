"""C++ and Triton code that does not build, or builds and does not load.

Run with torch 2.15.0 (Triton 3.9.0) and 2.4.1 (Triton 3.0.0), gcc 12.2, Python 3.11; ninja comes from the environment's bin folder, where PATH has it:
    python build_ext.py NAME
"""
import os, sys


def inline(source, functions=("scale",), **options):
    from torch.utils.cpp_extension import load_inline
    return load_inline("fastscale", source, functions=list(functions), build_directory=os.environ.setdefault("WORK", "/tmp/work/ext"), verbose=True, **options)


def scale(): print(inline("torch::Tensor scale(torch::Tensor x, double f) { return x.mul(f); }"))
def typo(): inline("torch::Tensor scale(torch::Tensor x, double f) { return x.scaled_by(f) }")
def outside(): inline("torch::Tensor kernel_scale(torch::Tensor, double);\ntorch::Tensor scale(torch::Tensor x, double f) { return kernel_scale(x, f); }")
def device(): inline("torch::Tensor scale(torch::Tensor x, double f);", cuda_sources=["torch::Tensor scale(torch::Tensor x, double f) { return x * f; }"])


def compiled(kernel, signature, constants, arch=90):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    options = dict(constants=constants) if triton.__version__ < "3.2" else dict(constexprs=constants)
    print(list(triton.compile(ASTSource(kernel, signature, **options), target=GPUTarget("cuda", arch, 32)).asm))


def _kernels():
    import triton, triton.language as tl

    @triton.jit
    def rows(x, out, n: tl.constexpr):
        offset = tl.arange(0, n)
        tl.store(out + offset, tl.load(x + offset) * 2)

    @triton.jit
    def product(a, b, out, n: tl.constexpr):
        r = tl.arange(0, n)
        square = r[:, None] * n + r[None, :]
        tl.store(out + square, tl.dot(tl.load(a + square), tl.load(b + square)))

    @triton.jit
    def gather(x, out, n: tl.constexpr):
        offset = tl.arange(0, n)
        value = tl.load(x + offset, mask=offset < limit)
        tl.store(out + offset, value)
    return rows, product, gather


def _sig(kernel, *types):
    import triton
    return dict(zip(kernel.arg_names, types)) if triton.__version__ >= "3.0" else dict(enumerate(types))


def width():
    k = _kernels()[0]
    compiled(k, _sig(k, "*fp32", "*fp32", "constexpr"), {"n": 96})


def mixed():
    k = _kernels()[1]
    compiled(k, _sig(k, "*fp16", "*fp32", "*fp32", "constexpr"), {"n": 32})


def unknown():
    k = _kernels()[2]
    compiled(k, _sig(k, "*fp32", "*fp32", "constexpr"), {"n": 64})


def old():
    k = _kernels()[0]
    compiled(k, _sig(k, "*fp32", "*fp32", "constexpr"), {"n": 128}, arch=30)


def assembler():  # with TRITON_PTXAS_PATH of another program
    k = _kernels()[0]
    compiled(k, _sig(k, "*fp32", "*fp32", "constexpr"), {"n": 128})


if __name__ == "__main__":
    globals()[sys.argv[1]]()
