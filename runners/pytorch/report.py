"""The lines of a run: each step that has ended, and at the end what the steps came to."""

import math
import resource
import statistics
import sys

import torch
from options import learning_rate

# isort: split
# `options` has told where it stands.
from common.dllogger import DLLogger

__all__ = ["DLLogger", "Report"]


class Report:
    """The lines of a run: each step that has ended, and at the end what the steps came to."""

    def __init__(self, trainer, rows):
        self.trainer, self.rows, self.since, self.times = trainer, rows, [], []
        self.loss, self.scale, self.skipped = math.nan, None, 0

    def steps(self, clock, all=False):
        """Prints the steps that have ended, at the times when they ended."""
        trainer, args = self.trainer, self.trainer.args
        for iteration, step_ms, (self.loss, scale) in clock.ended(all):
            self.since.append(step_ms)
            self.skipped += self.scale is not None and scale < self.scale
            self.scale = scale
            if args.start_iteration < iteration <= args.stop_iteration:
                self.times.append(step_ms)
            if math.isnan(self.loss):
                sys.exit(f"found NaN in the loss of iteration {iteration}. Cure: a lower --learning-rate, or bf16")
            if iteration % args.log_interval and iteration != args.max_iterations:
                continue
            mean_ms = statistics.fmean(self.since)
            self.since.clear()
            values = {"step_loss": self.loss, "learning_rate": learning_rate(args, iteration)}
            values |= {"loss_scale": scale} if args.precision == "fp16" else {}
            values |= {"step_ms": round(mean_ms, 4), trainer.speed: round(trainer.units_per_step / mean_ms * 1000, 2)}
            epoch = (iteration - 1) * trainer.samples_per_step // self.rows if self.rows else 0
            trainer.log.line((epoch, iteration), values, clock.now)

    def end(self, train_s):
        """What the measured steps came to, and what this process used."""
        trainer, args = self.trainer, self.trainer.args
        values = {"train_s": train_s, "final_loss": self.loss, **host_usage()}
        if trainer.device.type == "cuda":
            values["memory_allocated_mib"] = torch.cuda.max_memory_allocated() / 2**20
            values["memory_reserved_mib"] = torch.cuda.max_memory_reserved() / 2**20
        if args.precision == "fp16":
            values["skipped_steps"] = self.skipped
        median_ms, mean_ms = statistics.median(self.times), statistics.fmean(self.times)
        values |= {"median_step_ms": median_ms, f"median_{trainer.speed}": trainer.units_per_step / median_ms * 1000}
        values[f"average_{trainer.speed}"] = trainer.units_per_step / mean_ms * 1000
        trainer.log.line((), values)


def host_usage():
    """CPU seconds and the most memory of this process, and how long it took from its start to now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Linux counts in KiB, macOS in bytes.
    memory = used.ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
    return {"cpu_user_s": used.ru_utime, "cpu_system_s": used.ru_stime, "host_memory_peak_mib": memory}
