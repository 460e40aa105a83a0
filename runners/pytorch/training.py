"""What the PyTorch runners share: one training step, over and over; on one GPU or several, as it is or as a graph."""

import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import torch
import torch.distributed as dist
from clock import Clock
from models.checkpoint import load
from options import learning_rate, world
from report import DLLogger, Report
from setup import HALF, compiled, device, environment, libraries, optimizer, profiler
from torch.nn.parallel import DistributedDataParallel

# Imports of Python and PyTorch come before: bench run knows when the process was made.
STARTED = float(os.environ.get("BENCH_STARTED_AT", time.time()))


class Trainer:
    """One model on one GPU or several, trained for the iterations that the options ask for."""

    def __init__(self, args, model, speed="samples_per_s", units_per_sample=1, **settings):
        self.args, self.speed = args, speed
        rank, processes, local, on_node = world()
        self.first, self.processes = rank == 0, processes
        self.log = DLLogger(args.log, silent=not self.first)
        self.units_per_step = args.batch_size * args.gradient_accumulation * processes * units_per_sample
        self.samples_per_step = args.batch_size * args.gradient_accumulation * processes
        # Before anything can fail: which program this is, and what it was asked for.
        self.log.settings(implementation="benchledger", program=Path(sys.argv[0]).name, framework="pytorch")
        self.log.settings(processes=processes, nodes=processes // on_node, **settings)
        private = {"data", "log", "init_checkpoint", "save_checkpoint", "device"}
        self.log.settings(**{name: value for name, value in vars(args).items() if name not in private})
        self.device = device(args, local)
        cuda = self.device.type == "cuda"
        self.log.settings(**environment(self.device), gpus=processes if cuda else None)
        if cuda:
            self.log.settings(**libraries())
        if processes > 1:
            dist.init_process_group("nccl" if cuda else "gloo")
        # The weights are the same everywhere, what is dropped is not.
        torch.manual_seed(args.seed + rank)
        exact = args.precision != "tf32"
        torch.set_float32_matmul_precision("highest" if exact else "high")
        torch.backends.cudnn.allow_tf32 = not exact
        if args.init_checkpoint:
            self.log.settings(fresh_weights=len(load(model, args.init_checkpoint)))
        self.model = model = model.to(self.device).train()
        self.log.settings(model_weights=sum(weight.numel() for weight in model.parameters()))
        # A tensor, so that a graph that was captured once follows the schedule.
        self.rate = torch.tensor(args.learning_rate, device=self.device)
        self.optimizer = optimizer(args, model, self.rate)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=args.precision == "fp16")
        if args.compile:
            compiled(model, args.fused_kernels)
        self.parallel = model
        # With half weights, the optimizer adds up the gradients.
        if processes > 1 and not args.half_weights:
            # Gradients lie where they travel from: some hundred copies fewer, there and back.
            devices = [local] if cuda else None
            self.parallel = DistributedDataParallel(model, devices, gradient_as_bucket_view=True)

    def step(self, batches):
        """One step of the optimizer over as many batches as gradients are gathered from: [loss, loss scale]."""
        half, total = HALF.get(self.args.precision), 0.0
        for place, batch in enumerate(batches, start=1):
            # Gradients travel between the GPUs once a step.
            alone = self.parallel is not self.model and place < len(batches)
            with self.parallel.no_sync() if alone else nullcontext():
                with torch.autocast(self.device.type, half) if half else nullcontext():
                    loss = self.parallel(*batch) / len(batches)
                self.scaler.scale(loss).backward()
            total = total + loss.detach().float()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        scale = self.scaler._scale if self.scaler.is_enabled() else torch.ones_like(total)
        return torch.stack((total, scale))

    def captured(self, batches):
        """The whole step as one CUDA graph: a function that copies batches to where the graph reads them, and runs it.

        The steps that must come before a capture are taken at a rate of zero: they teach nothing.
        """
        inputs = [[tensor.clone() for tensor in batch] for batch in batches]
        self.rate.zero_()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                self.step(inputs)
        torch.cuda.current_stream().wait_stream(aside)
        # Nor do they leave moments behind: the optimizer begins as it does without a graph.
        for state in self.optimizer.state.values():
            for tensor in filter(torch.is_tensor, state.values()):
                tensor.zero_()
        getattr(self.optimizer, "forget", lambda: None)()
        graph = torch.cuda.CUDAGraph()
        # Threads that pin batches, or watch NCCL, may ask CUDA for something meanwhile.
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            result = self.step(inputs)

        def replay(batches):
            for kept, batch in zip(inputs, batches, strict=True):
                torch._foreach_copy_(kept, batch)
            graph.replay()
            return result

        return replay

    def train(self, batches, rows=None):
        """Trains on batches that never end; `rows` in the data make an epoch."""
        args, step, clock = self.args, self.step, None
        report = Report(self, rows)
        profile = profiler(args) if self.first else nullcontext()
        for iteration in range(1, args.max_iterations + 1):
            batch = [self.moved(next(batches)) for _ in range(args.gradient_accumulation)]
            if iteration == 1:
                step = self.captured(batch) if args.cuda_graph else step
                self.log.settings(train_start=True, startup_s=time.time() - STARTED)
                clock = Clock(self.device)
                began = clock.now
            self.rate.fill_(learning_rate(args, iteration))
            if iteration == args.start_iteration + 1:
                profile.__enter__()
            clock.mark(iteration, step(batch))
            report.steps(clock)
            if iteration == args.stop_iteration:
                profile.__exit__(None, None, None)
        report.steps(clock, all=True)
        if self.first and args.save_checkpoint:
            weights = self.optimizer.masters(self.model) if args.half_weights else self.model.state_dict()
            torch.save(weights, args.save_checkpoint)
        report.end(clock.now - began)
        if self.processes > 1:
            # A graph that holds NCCL's work must go first: else the end of the group waits for ever.
            step = None
            # Who leaves while another still receives its last gradients closes that one's connection.
            dist.barrier(device_ids=None if self.device.index is None else [self.device.index])
            dist.destroy_process_group()

    def moved(self, batch):
        return [tensor.to(self.device, non_blocking=True) for tensor in batch]
