"""ResNet-50 v1.5 (He et al., 2015; the stride in the 3 x 3 convolution)."""

import torch.nn.functional as F
from torch import nn

SIZES = {"resnet_tiny": {"stages": (1, 1), "classes": 10}, "resnet50": {"stages": (3, 4, 6, 3), "classes": 1000}}


def convolution(inside, outside, size, stride=1):
    """A convolution and its norm."""
    filters = nn.Conv2d(inside, outside, size, stride, padding=size // 2, bias=False)
    return nn.Sequential(filters, nn.BatchNorm2d(outside))


class Bottleneck(nn.Module):
    """1 x 1 down, 3 x 3, 1 x 1 up, and the way past them."""

    def __init__(self, inside, width, stride):
        super().__init__()
        self.down = convolution(inside, width, 1)
        self.across = convolution(width, width, 3, stride)
        self.up = convolution(width, 4 * width, 1)
        self.past = convolution(inside, 4 * width, 1, stride) if stride > 1 or inside != 4 * width else nn.Identity()
        nn.init.zeros_(self.up[1].weight)

    def forward(self, x):
        y = F.relu(self.across(F.relu(self.down(x))))
        return F.relu(self.up(y) + self.past(x))


class ResNet(nn.Module):
    """Images (rows, 3, height, width) and their classes to the loss."""

    def __init__(self, stages, classes):
        super().__init__()
        self.stem, inside, blocks = convolution(3, 64, 7, 2), 64, []
        for stage, count in enumerate(stages):
            width = 64 << stage
            for block in range(count):
                blocks.append(Bottleneck(inside, width, 2 if stage and not block else 1))
                inside = 4 * width
        self.blocks, self.classes = nn.Sequential(*blocks), nn.Linear(inside, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")

    def forward(self, images, labels):
        x = F.max_pool2d(F.relu(self.stem(images)), 3, 2, padding=1)
        return F.cross_entropy(self.classes(self.blocks(x).mean((2, 3))), labels, label_smoothing=0.1)
