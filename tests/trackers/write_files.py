"""Writes the files of one run by a real tracker into the current folder: `python write_files.py TRACKER`.

It runs in the environment of the trackers, not in that of benchledger.
"""

import math
import sys

STEPS = 40


def loss(step):
    return 10.0 / (step + 1) + 0.1


def tensorboardx():
    from tensorboardX import SummaryWriter

    writer = SummaryWriter("runs/one")
    for step in range(STEPS):
        writer.add_scalar("train/loss", loss(step), step)
        writer.add_scalar("train/samples_per_second", 100.0 + step, step)
    writer.add_scalar("val/acc", 0.75, STEPS)
    writer.add_scalar("odd", math.nan, STEPS)
    writer.add_text("note", "plain words", 0)
    writer.add_histogram("weights", list(range(100)), 0)
    writer.add_scalars("group", {"a": 1.5, "b": 2.5}, 3)
    writer.add_hparams({"lr": 0.5, "layers": 24, "optimizer": "lamb", "amp": True}, {"hp/best": 0.25}, name="h")
    writer.close()


def torch():
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter("runs/one")
    for step in range(STEPS):
        writer.add_scalar("train/loss", loss(step), step, new_style=step % 2 == 1)
    writer.add_scalar("double", 0.1, 7, new_style=True, double_precision=True)
    writer.add_text("note", "plain words", 0)
    writer.add_hparams({"lr": 0.5, "layers": 24}, {"hp/best": 0.25}, run_name="h")
    writer.close()


def wandb():
    import wandb

    config = {"lr": 0.5, "layers": 24, "optimizer": "lamb", "model": {"name": "bert", "heads": [1, 2]}}
    run = wandb.init(mode="offline", project="benchmarks", name="first", config=config, dir=".")
    for step in range(STEPS):
        run.log({"train/loss": loss(step), "train/samples_per_second": 100.0 + step, "nested": {"norm": step / 8}})
    run.log({"val/acc": 0.75, "count": 3, "word": "best", "odd": math.nan})
    run.summary["best_step"] = 17
    # More than a block of 32 KiB.
    run.log({"long": "x" * 50_000})
    run.finish()


def mlflow():
    import mlflow

    mlflow.set_tracking_uri("file:./mlruns")
    mlflow.set_experiment("benchmarks")
    with mlflow.start_run(run_name="first"):
        mlflow.log_params({"lr": 0.5, "layers": 24, "optimizer": "lamb", "same": 24})
        for step in range(STEPS):
            mlflow.log_metric("train/loss", loss(step), step=step)
            mlflow.log_metric("samples_per_second", 100.0 + step, step=step)
        # Equal files but for their names.
        mlflow.log_metrics({"precision": 1.0, "recall": 1.0}, step=1)
        mlflow.set_tag("purpose", "test")


def lightning():
    import torch
    from lightning import LightningModule, Trainer
    from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger

    class Model(LightningModule):
        def __init__(self, lr=0.5, layers=24, optimizer="sgd"):
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(4, 1)

        def training_step(self, batch, index):
            self.log("train_loss", loss(self.global_step), prog_bar=False)
            return self.layer(batch).sum()

        def validation_step(self, batch, index):
            self.log("val_loss", 2.25)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

    data = torch.utils.data.DataLoader(torch.zeros(20, 4))
    loggers = {"csv": CSVLogger(".", name="csv_logs"), "tensorboard": TensorBoardLogger(".", name="tb_logs")}
    for logger in [loggers[name] for name in sys.argv[2:] or ["csv"]]:
        trainer = Trainer(
            max_epochs=2, logger=logger, log_every_n_steps=1, accelerator="cpu", enable_checkpointing=False,
            enable_progress_bar=False, enable_model_summary=False,
        )  # fmt: skip
        trainer.fit(Model(), data, data)


if __name__ == "__main__":
    {"tensorboardX": tensorboardx, "torch": torch, "wandb": wandb, "mlflow": mlflow, "lightning": lightning}[
        sys.argv[1]
    ]()
