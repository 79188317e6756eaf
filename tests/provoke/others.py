"""JAX, TensorFlow, ONNX Runtime, XGBoost and LightGBM programs on the CPU.

Run with jax 0.10.2, tensorflow-cpu 2.21.0, onnxruntime 1.31.1, xgboost-cpu 3.2.0, lightgbm 4.7.0, Python 3.11:   python others.py NAME
"""
import os, sys
import numpy as np


def huge():
    import jax.numpy as jnp
    table = jnp.zeros((1 << 20, 1 << 20), jnp.float32)
    print(table.sum())


def scan():
    import jax, jax.numpy as jnp
    def attention(q, k):
        return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k)).sum()
    x = jnp.ones((64, 60000, 8))
    print(jax.jit(attention)(x, x))


def nans():
    import jax, jax.numpy as jnp
    jax.config.update("jax_debug_nans", True)
    loss = jax.jit(lambda w: jnp.log(w).sum())
    print(jax.grad(loss)(jnp.array([1.0, 2.0])))
    print(loss(jnp.array([1.0, -2.0])))


def infs():
    import jax, jax.numpy as jnp
    jax.config.update("jax_debug_infs", True)
    print(jax.jit(lambda t: jnp.exp(t / 0.01).mean())(jnp.array([0.1, 90.0])))


def where():
    import jax, jax.numpy as jnp
    batch = jax.device_put(jnp.ones((8, 8)), jax.devices("gpu")[0])


def asked():  # with JAX_PLATFORMS=cuda
    import jax
    print(jax.devices())


def tracer():
    import jax
    @jax.jit
    def f(x):
        return x if x.sum() > 0 else -x
    f(np.ones(3))


def broadcast():
    import jax.numpy as jnp
    print(jnp.ones((3, 4)) @ jnp.ones((5, 6)))


def fine():
    import jax, jax.numpy as jnp
    w = jnp.ones((4,))
    for i in range(3):
        w = w - 0.1 * jax.grad(lambda v: (v ** 2).sum())(w)
        print("step", i, float((w ** 2).sum()))


def alloc():
    import tensorflow as tf
    print(tf.reduce_sum(tf.random.normal([1 << 17, 1 << 17])))


def numerics():
    import tensorflow as tf
    tf.debugging.enable_check_numerics()
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.log(x))
    print(loss)


def soft():
    import tensorflow as tf
    tf.config.set_soft_device_placement(False)
    with tf.device("/GPU:0"):
        print(tf.constant([1.0]) + 1)


def visible():
    import tensorflow as tf
    gpus = tf.config.list_physical_devices("GPU")
    print("built with CUDA:", tf.test.is_built_with_cuda(), "GPUs:", gpus)
    assert gpus, "this job needs a GPU"


def layer():
    import tensorflow as tf
    tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(4)])(tf.zeros((2, 9)))


def keras():
    import keras
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e9), "mse")
    history = model.fit(np.ones((64, 4)) * 1e3, np.ones((64, 1)), epochs=3, verbose=2)
    assert np.isfinite(history.history["loss"][-1]), f"training diverged: loss={history.history['loss']}"


def _onnx(kind="Relu", opset=17, dtype=1):
    from onnx import helper
    graph = helper.make_graph([helper.make_node(kind, ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", dtype, [1, 4])], [helper.make_tensor_value_info("y", dtype, [1, 4])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def provider():
    import onnxruntime as ort
    session = ort.InferenceSession(_onnx(), providers=["CUDAExecutionProvider"])
    assert "CUDAExecutionProvider" in session.get_providers(), f"CUDA provider is not active: {session.get_providers()}"


def fallback():
    import onnxruntime as ort
    session = ort.InferenceSession(_onnx(), providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    print(session.run(None, {"x": np.ones((1, 4), dtype=np.float32)}))


def integer():
    import onnxruntime as ort
    ort.InferenceSession(_onnx("Atan", dtype=11), providers=["CPUExecutionProvider"])


def opset():
    import onnxruntime as ort
    ort.InferenceSession(_onnx(opset=99), providers=["CPUExecutionProvider"])


def typed():
    import onnxruntime as ort
    ort.InferenceSession(_onnx(), providers=["CPUExecutionProvider"]).run(None, {"x": np.ones((1, 4))})


def trees():
    import xgboost
    data = xgboost.DMatrix(np.random.rand(64, 4), np.random.rand(64))
    xgboost.train({"device": "cuda", "tree_method": "hist"}, data, 2)
    print("trained")


def booster():
    import lightgbm
    lightgbm.train({"device_type": sys.argv[2], "verbose": 1, "min_data": 1}, lightgbm.Dataset(np.random.rand(64, 4), np.random.rand(64)), 2)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
