"""AdamW whose weights lie in one row: in fp32 here, and as the model's own in the precision of the matrix products."""

from functools import partial

import torch
import torch.distributed as dist

# On several GPUs gradients travel in this many parts, so that most do while the backward pass still computes others.
PARTS = 4


class FlatAdamW(torch.optim.Optimizer):
    """One update of many weights at once, which also writes them in `half` for the next step.

    So nothing is converted within a step, and gradients travel between GPUs in a few long rows.
    The first group decays, the second does not; eps and decay as torch.optim.AdamW has them.
    `passes` is the number of backward passes of a step.
    """

    def __init__(self, groups, rate, half, betas=(0.9, 0.999), eps=1e-6, fused=False, passes=1):
        super().__init__(groups, {"lr": rate, "weight_decay": 0.0})
        self.betas, self.eps, self.passes = betas, eps, passes
        weights = [weight for group in self.param_groups for weight in group["params"]]
        self.weights, self.sizes = weights, [weight.numel() for weight in weights]
        self.master = torch.cat([weight.detach().flatten() for weight in weights])
        self.half = self.master.to(half)
        self.gradient = torch.zeros_like(self.half)
        self.first, self.second = torch.zeros_like(self.master), torch.zeros_like(self.master)
        self.count = torch.zeros((), device=self.master.device)
        self.shared = dist.get_world_size() if dist.is_initialized() else 1
        for weight, own in zip(weights, self.half.split(self.sizes), strict=True):
            weight.data = own.view(weight.shape)
        self._moved = torch.compile(self._move, dynamic=False) if fused else self._move
        self.parts = self._parts(sum(self.sizes) / PARTS if self.shared > 1 else float("inf"))
        self.sent, self.missing = [], self._all_missing()
        if self.shared > 1:
            for number, (_, part, _) in enumerate(self.parts):
                for weight in part:
                    weight.register_post_accumulate_grad_hook(partial(self._arrived, number))

    def _parts(self, least):
        """(place in the row, weights, group) of the weights that travel and are updated together."""
        parts, start = [], 0
        for group in self.param_groups:
            part = []
            for weight in group["params"]:
                part.append(weight)
                size = sum(weight.numel() for weight in part)
                if size >= least or weight is group["params"][-1]:
                    parts.append((slice(start, start + size), part, group))
                    start, part = start + size, []
        return parts

    def _all_missing(self):
        return [len(part) * self.passes for _, part, _ in self.parts]

    def _arrived(self, number, _weight):
        """A weight of a part has its gradient of one pass; the last one sends the part."""
        self.missing[number] -= 1
        if not self.missing[number]:
            self._send(number)

    def _send(self, number):
        """Copies the gradients of a part into the row; on several GPUs their sum is on its way when this returns."""
        place, part, _ = self.parts[number]
        row = self.gradient[place]
        torch._foreach_copy_(row.split([weight.numel() for weight in part]), [weight.grad.flatten() for weight in part])
        self.sent.append((number, dist.all_reduce(row, async_op=True) if self.shared > 1 else None))

    @torch.no_grad()
    def step(self, closure=None):
        """One update; each weight must have a gradient."""
        del closure
        if self.shared == 1:
            for number in range(len(self.parts)):
                self._send(number)
        self.count += 1
        # Those that came first are updated while the last are on their way.
        for number, journey in self.sent:
            place, _, group = self.parts[number]
            if journey:
                journey.wait()
            rows = (self.master[place], self.half[place], self.gradient[place], self.first[place], self.second[place])
            self._moved(*rows, group["lr"], self.count, group["weight_decay"])
        self.sent.clear()
        self.missing = self._all_missing()

    def _move(self, master, half, gradient, first, second, rate, count, decay):
        keep1, keep2 = self.betas
        gradient = gradient.float() / self.shared
        first.mul_(keep1).add_(gradient, alpha=1 - keep1)
        second.mul_(keep2).addcmul_(gradient, gradient, value=1 - keep2)
        update = (first / (1 - keep1**count)) / ((second / (1 - keep2**count)).sqrt() + self.eps)
        master.mul_(1 - rate * decay).sub_(rate * update)
        half.copy_(master)

    def forget(self):
        """As if no step had been taken."""
        for tensor in (self.first, self.second, self.count):
            tensor.zero_()

    def masters(self, model):
        """The weights in fp32 by their names in the model."""
        rows = {id(w): own for w, own in zip(self.weights, self.master.split(self.sizes), strict=True)}
        return {name: rows[id(weight)].view(weight.shape) for name, weight in model.named_parameters()}
