"""When each step ended on the device, told without making the device or the loop wait."""

import time
from collections import deque

import torch


class Clock:
    """Marks the end of each step by an event in the device's stream, and reads it a few steps later."""

    # So far may the loop run ahead of the device.
    AHEAD = 2

    def __init__(self, device):
        self._cuda = device.type == "cuda"
        self._waiting = deque()
        self._last = self._event()
        if self._cuda:
            torch.cuda.synchronize()
        self.now = time.time()

    def _event(self):
        if not self._cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True, blocking=True)
        event.record()
        return event

    def mark(self, step, values):
        """Step `step` ends here, with these values, which are still on the device."""
        host = torch.empty(values.shape, dtype=values.dtype, pin_memory=self._cuda)
        host.copy_(values, non_blocking=True)
        self._waiting.append((step, self._event(), host))

    def ended(self, all=False):
        """(step, its time in ms, values) of the steps that have ended; `self.now` is then when that was."""
        while len(self._waiting) > (0 if all else self.AHEAD):
            step, event, host = self._waiting.popleft()
            if self._cuda:
                event.synchronize()
                step_ms = self._last.elapsed_time(event)
            else:
                step_ms = (event - self._last) * 1000
            self._last = event
            self.now += step_ms / 1000
            yield step, step_ms, host.tolist()
