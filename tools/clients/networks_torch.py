# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch: name -> a function that makes one and returns its run, which returns its outputs.

Weights are random with a fixed seed; torchvision's networks are those of its models, the others small and of the layers
that their names say. `packed` models are those of torch.utils.mkldnn, whose tensors and weights stay in oneDNN's layouts;
Debian's PyTorch has no pooling and no normalization for them. Names with f64 instead of f32 are made, too: PyTorch
computes those without oneDNN.
"""
import torch
import torchvision
from torch import nn
from torch.utils import mkldnn

FOREWORD = f"PyTorch {torch.__version__}"
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f64": torch.float64}


def image_batch(batch, size=224, channels=3):
    return torch.randn(batch, channels, size, size)


def infer(model, inputs, dtype="f32", packed=False, channels_last=False):
    model = model.eval().to(DTYPES[dtype])
    inputs = inputs.to(DTYPES[dtype])
    if channels_last:
        model, inputs = model.to(memory_format=torch.channels_last), inputs.to(memory_format=torch.channels_last)
    if packed:
        model, inputs = mkldnn.to_mkldnn(model, DTYPES[dtype]), inputs.to_mkldnn()

    def run():
        with torch.no_grad():
            out = model(inputs)
        return [(out.to_dense() if out.is_mkldnn else out).float().numpy()]
    return run


def vision(name, batch, **how):
    return lambda: infer(getattr(torchvision.models, name)(weights=None), image_batch(batch), **how)


def convolutions_3d(**how):
    model = nn.Sequential(nn.Conv3d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv3d(32, 64, 3, stride=2, padding=1), nn.ReLU(),
                          nn.Conv3d(64, 64, (1, 3, 3), padding=(0, 1, 1)), nn.ReLU(), nn.Conv3d(64, 16, 1))
    return infer(model, torch.randn(1, 3, 16, 56, 56), **how)


def convolutions_1d(**how):
    model = nn.Sequential(nn.Conv1d(40, 256, 5, padding=2), nn.ReLU(), nn.Conv1d(256, 256, 3, dilation=2), nn.ReLU(),
                          nn.Conv1d(256, 256, 3, dilation=3, groups=4), nn.ReLU(), nn.Conv1d(256, 64, 1))
    return infer(model, torch.randn(4, 40, 400), **how)


class Up(nn.Module):
    """Down by strides and up again by transposed convolutions, as U-Net does."""
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(16, 64, 3, stride=2, padding=1), nn.ReLU(),
                                  nn.Conv2d(64, 128, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(128, 64, 2, stride=2), nn.ReLU(),
                                nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1), nn.ReLU(),
                                nn.ConvTranspose2d(32, 16, 3, padding=1, groups=2))

    def forward(self, x):
        return self.up(self.down(x))


def transposed(**how):
    return infer(Up(), torch.randn(2, 16, 96, 96), **how)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(channels, channels, 3, padding=1))

    def forward(self, x):
        return x + self.body(x)


def residual(**how):
    model = nn.Sequential(nn.Conv2d(3, 64, 7, stride=4, padding=3), nn.ReLU(), Residual(64), nn.ReLU(),
                          nn.Conv2d(64, 128, 3, stride=2, padding=1), nn.ReLU(), Residual(128), nn.ReLU(),
                          nn.Conv2d(128, 256, 3, stride=2, padding=1), nn.ReLU(), Residual(256))
    return infer(model, image_batch(1), **how)


def perceptron(**how):
    model = nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 10))
    return infer(model, torch.randn(64, 784), **how)


def encoder(**how):
    layer = nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True, norm_first=True)
    return infer(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.randn(4, 64, 256), **how)


class LastState(nn.Module):
    """All states of a recurrent layer, or what the last step leaves: PyTorch gives oneDNN its LSTMs, not its GRUs."""
    def __init__(self, layer, classes=0):
        super().__init__()
        self.layer = layer
        self.head = nn.Linear(layer.hidden_size * (2 if layer.bidirectional else 1), classes) if classes else None

    def forward(self, x):
        states, _ = self.layer(x)
        return self.head(states[-1]) if self.head else states


def lstm(steps=32, batch=8, channels=128, hidden=256, dtype="f32", **layer):
    return infer(LastState(nn.LSTM(channels, hidden, **layer)), torch.randn(steps, batch, channels), dtype=dtype)


def lstm_step(dtype="f32", **layer):
    # As many steps as rows: train() has a label for each of the first dim.
    return train(lambda: LastState(nn.LSTM(64, 96, 2, **layer), 10), torch.randn(20, 20, 64), 10, dtype=dtype)


def train(make, inputs, classes, dtype="f32"):
    """Outputs: the loss and a few gradients of one step; the weights do not move, so that steps can be repeated."""
    exact = dtype == "f64"
    model, inputs = make().train(), inputs.double() if exact else inputs
    model = model.double() if exact else model
    labels = torch.randint(0, classes, (inputs.shape[0],))

    def run():
        model.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=dtype == "bf16"):
            loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        weights = [w for w in model.parameters() if w.dim() > 1]
        return [loss.detach().reshape(1).float().numpy()] + [w.grad.float().numpy()
                                                             for w in weights[::max(1, len(weights) // 4)]]
    return run


def small_up():
    return nn.Sequential(Up(), nn.AdaptiveAvgPool2d(1), nn.Flatten())


NETWORKS = {}
for batch in (1, 8):
    for name in ("resnet18", "resnet50", "mobilenet_v2", "squeezenet1_1"):
        for dtype in ("f32", "bf16"):
            NETWORKS[f"{name} {dtype} batch {batch}"] = vision(name, batch, dtype=dtype)
NETWORKS |= {
    "resnet18 f32 batch 1 channels last": vision("resnet18", 1, channels_last=True),
    "shufflenet_v2_x1_0 f32 batch 1": vision("shufflenet_v2_x1_0", 1),
    "resnext50_32x4d f32 batch 1": vision("resnext50_32x4d", 1),
}
for dtype in ("f32", "bf16", "f64"):
    how = {"dtype": dtype}
    NETWORKS |= {
        f"3-D convolutions {dtype}": lambda how=how: convolutions_3d(**how),
        f"1-D convolutions {dtype}": lambda how=how: convolutions_1d(**how),
        f"transposed convolutions {dtype}": lambda how=how: transposed(**how),
        f"perceptron {dtype}": lambda how=how: perceptron(**how),
        f"encoder {dtype}": lambda how=how: encoder(**how),
        f"lstm of 2 layers {dtype}": lambda how=how: lstm(num_layers=2, **how),
        f"lstm of two directions {dtype}": lambda how=how: lstm(num_layers=2, bidirectional=True, **how),
        f"lstm of one row {dtype}": lambda how=how: lstm(batch=1, hidden=512, **how),
        f"training step lstm {dtype}": lambda how=how: lstm_step(**how),
        f"training step resnet18 {dtype}":
            lambda how=how: train(lambda: torchvision.models.resnet18(weights=None), image_batch(4, 96), 1000, **how),
        f"training step mobilenet_v2 {dtype}":
            lambda how=how: train(lambda: torchvision.models.mobilenet_v2(weights=None, dropout=0), image_batch(4, 96),
                                  1000, **how),
        f"training step transposed {dtype}":
            lambda how=how: train(small_up, torch.randn(2, 16, 48, 48), 16, **how),
    }
NETWORKS |= {
    "residual f32 packed": lambda: residual(packed=True),
    "residual bf16 packed": lambda: residual(dtype="bf16", packed=True),
    "3-D convolutions f32 packed": lambda: convolutions_3d(packed=True),
    "perceptron f32 packed": lambda: perceptron(packed=True),
}


def make(name):
    torch.manual_seed(0)
    return NETWORKS[name]()
