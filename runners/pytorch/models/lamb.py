"""LAMB (You et al., 2019) as NVIDIA's BERT runs it."""

import torch


class Lamb(torch.optim.Optimizer):
    """Adam whose step for each tensor is as long as the tensor's norm says; gradients are first cut to a global norm.

    Only groups with weight decay have a trust ratio, as in apex's FusedLAMB. `fused` compiles the update into a few
    kernels. Nothing waits for the device: in fp16 too, where a step whose gradients overflowed changes nothing.
    """

    # GradScaler then hands over what it knows, as tensors, and does not ask the device whether to skip the step.
    _step_supports_amp_scaling = True

    def __init__(self, groups, lr, betas=(0.9, 0.999), eps=1e-6, longest=1.0, fused=False):
        super().__init__(groups, {"lr": lr, "weight_decay": 0.0})
        self.betas, self.eps, self.longest = betas, eps, longest
        # The tensors are those of the step before: to look at each once more costs the host a millisecond.
        options = {"size_asserts": False}
        self._moved = torch.compile(self._move, dynamic=False, options=options) if fused else self._move
        self._count = None

    @torch.no_grad()
    def step(self, closure=None):
        """One update of every parameter that has a gradient."""
        del closure
        lists = []
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            for weight in weights:
                if not self.state[weight]:
                    self.state[weight] = {"first": torch.zeros_like(weight), "second": torch.zeros_like(weight)}
            moments = [[self.state[weight][name] for weight in weights] for name in ("first", "second")]
            lists.append((weights, [weight.grad for weight in weights], *moments, group["weight_decay"]))
        if self._count is None:
            self._count = torch.zeros((), device=lists[0][0][0].device)
        lr = torch.as_tensor(self.param_groups[0]["lr"], device=self._count.device)
        self._moved(lists, lr, self._count, getattr(self, "grad_scale", None), getattr(self, "found_inf", None))

    def forget(self):
        """As if no step had been taken, beside what `state` holds."""
        self._count.zero_()

    def _move(self, lists, lr, count, grad_scale, found_inf):
        (keep1, keep2), one = self.betas, 1.0
        kept1, kept2 = keep1, keep2
        if found_inf is not None:
            # Such a step forgets nothing, adds nothing and has no length; an `if` would wait for the device.
            skip = found_inf > 0
            kept1, kept2 = torch.where(skip, 1.0, keep1), torch.where(skip, 1.0, keep2)
            one = torch.where(skip, 0.0, 1.0)
            lists = [(weights, [g.masked_fill(skip, 0.0) for g in given], *rest) for weights, given, *rest in lists]
        count += one
        # The first steps of a run may all be skipped.
        counted = count.clamp(min=1.0)
        norms = [norm for _, gradients, *_ in lists for norm in torch._foreach_norm(gradients)]
        over = torch.linalg.vector_norm(torch.stack(norms)) / self.longest
        over = over.clamp(min=1.0 if grad_scale is None else grad_scale)
        for weights, gradients, first, second, decay in lists:
            gradients = torch._foreach_div(gradients, over)
            torch._foreach_mul_(first, kept1)
            torch._foreach_add_(first, gradients, alpha=1 - keep1)
            torch._foreach_mul_(second, kept2)
            torch._foreach_addcmul_(second, gradients, gradients, 1 - keep2)
            scale = torch._foreach_div(second, 1 - keep2**counted)
            torch._foreach_sqrt_(scale)
            torch._foreach_add_(scale, self.eps)
            update = torch._foreach_div(first, 1 - keep1**counted)
            torch._foreach_div_(update, scale)
            lengths = [lr * one] * len(weights)
            if decay:
                torch._foreach_add_(update, weights, alpha=decay)
                pairs = zip(torch._foreach_norm(weights), torch._foreach_norm(update), strict=True)
                lengths = [lr * one * torch.where((w > 0) & (u > 0), w / u, 1.0) for w, u in pairs]
            torch._foreach_mul_(update, lengths)
            torch._foreach_sub_(weights, update)
