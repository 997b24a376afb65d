# SPDX-License-Identifier: Apache-2.0
"""Networks of PaddlePaddle: saved as programs and run by its inference engine with oneDNN.

Weights are random with a fixed seed. name -> a function that makes one and returns its run, which returns its outputs.
"""
import logging
import os
import tempfile

import numpy
import paddle
from paddle import inference
from paddle.vision import models

FOREWORD = f"PaddlePaddle {paddle.__version__}"
logging.disable(logging.WARNING)


def infer(make, batch, bf16=False):
    paddle.seed(0)
    paddle.set_device("cpu")
    model = make()
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        spec = [paddle.static.InputSpec([batch, 3, 224, 224], "float32")]
        paddle.jit.save(model, path, input_spec=spec)
        file = path + (".json" if os.path.exists(path + ".json") else ".pdmodel")
        config = inference.Config(file, path + ".pdiparams")
        config.disable_gpu()
        config.disable_glog_info()
        config.enable_mkldnn()
        if bf16:
            config.enable_mkldnn_bfloat16()
        config.set_cpu_math_library_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        predictor = inference.create_predictor(config)
    inputs = numpy.random.RandomState(0).standard_normal((batch, 3, 224, 224)).astype("float32")
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(inputs)

    def run():
        predictor.run()
        return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]
    return run


NETWORKS = {}
for batch in (1, 8):
    for name in ("resnet18", "mobilenet_v2", "vgg11"):
        for dtype in ("f32", "bf16"):
            NETWORKS[f"{name} {dtype} batch {batch}"] = lambda name=name, batch=batch, dtype=dtype: infer(
                lambda: getattr(models, name)(pretrained=False), batch, dtype == "bf16")


def make(name):
    return NETWORKS[name]()
