"""AdamW whose weights lie in one row: in fp32 here, and as the model's own in the precision of the matrix products."""

import torch
import torch.distributed as dist


class FlatAdamW(torch.optim.Optimizer):
    """One update of all weights at once, which also writes them in `half` for the next step.

    So nothing is converted within a step, and the gradients of all weights travel between GPUs as one row.
    The first group decays, the second does not; eps and decay as torch.optim.AdamW has them.
    """

    def __init__(self, groups, rate, half, betas=(0.9, 0.999), eps=1e-6, fused=False):
        super().__init__(groups, {"lr": rate, "weight_decay": 0.0})
        self.betas, self.eps = betas, eps
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

    @torch.no_grad()
    def step(self, closure=None):
        """One update; each weight must have a gradient."""
        del closure
        torch._foreach_copy_(self.gradient.split(self.sizes), [weight.grad.flatten() for weight in self.weights])
        if self.shared > 1:
            dist.all_reduce(self.gradient)
        self.count += 1
        decays = sum(weight.numel() for weight in self.param_groups[0]["params"])
        for part, group in zip((slice(decays), slice(decays, None)), self.param_groups, strict=True):
            rows = (self.master[part], self.half[part], self.gradient[part], self.first[part], self.second[part])
            self._moved(*rows, group["lr"], self.count, group["weight_decay"])

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
