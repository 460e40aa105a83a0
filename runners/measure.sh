#!/usr/bin/env bash
# Measures what docs/results.md shows, on the GPUs at hand: each part some calls of `bench run`, whose logs appear in the
# staging folder. What a campaign has is not made again, so that a part which was cut short is gone on with.
#
#   runners/measure.sh data tables fast             parts, in this order; the table below says how long each takes
#   REHEARSAL=1 runners/measure.sh data tables      the same commands on the CPU, at toy sizes: that all of them run
#
# PYTHON   has PyTorch, h5py, tokenizers and nvidia-ml-py, and transformers for `pairs` (default: python3)
# BENCH    starts bench (default: $PYTHON -m benchledger.cli.main, for which click is enough)
# CAMPAIGN begins the campaigns' names (default: measured)
# FOLDER   holds staging/, training/ and pairs.txt (default: data)
# BENCH_COMMIT  the commit of a copy that came without its history, for the manifests
# NCU_KERNELS  how many kernels of the iteration ncu looks at (default: all)
# TIMEOUT_S  ends a run after so many seconds (default: 300)
# LIMIT_S  ends everything after so many seconds; the run that is being made is then staged as killed (default: an hour)
set -u
cd "$(dirname "$0")/.." || exit 2

python=${PYTHON:-python3}
bench=${BENCH:-$python -m benchledger.cli.main}
campaign=${CAMPAIGN:-measured}
folder=${FOLDER:-data}
limit=${LIMIT_S:-3600}
failed=0

# Seconds on one H200 or H100, most of them starts of Python, CUDA and compilers; that of ncu is a guess.
declare -A about=(
    [data]="5 s: training data from a seed"
    [tables]="530 s: README 000's four columns, five trials"
    [graph]="150 s: README 000's two columns in fp16, each step one CUDA graph; three trials"
    [fast]="150 s: BERT and GPT in bf16 by kernels of ours, one CUDA graph a step; three trials in turn"
    [jax]="520 s: the same and JAX, which PYTHON then has, too, in turn"
    [columns]="800 s: README 000's columns, phase 2 and BERT large as fast as one GPU makes them; three trials in turn"
    [losses]="300 s: losses of the fast cases and of plain PyTorch, not compiled, by three seeds in turn"
    [gpt_losses]="480 s: the same of GPT over 1,000 steps, by three seeds, or by those in SEEDS"
    [pairs]="130 s: our BERT and Hugging Face's in turn"
    [sampler]="265 s: five runs with the sampler and five without, in turn"
    [gpt]="95 s: README 002's two columns, two trials"
    [squad]="70 s: SQuAD, two columns, two trials"
    [resnet]="45 s: ResNet-50, two columns, one trial"
    [throughput]="120 s: README 003's batch sizes"
    [largest]="220 s: README 004's largest batch, fp16"
    [phases]="170 s: BERT base phase 2, two columns, and BERT large phase 1, three; one trial"
    [megatron]="60 s: README 002's two columns on megatron-core, which PYTHON then has, too"
    [two]="300 s: one GPU and two, bf16, batch 96, five trials"
    [two_fast]="440 s: the fast cases on one GPU and on two, three trials in turn"
    [two_fp16]="180 s: the same in fp16, three trials"
    [two_tables]="200 s: READMEs 000 and 002 on two GPUs"
    [torch_profile]="30 s: torch.profiler's trace and table"
    [ncu]="300 s: Nsight Compute over one iteration, for README 003's pipes"
)

# A case at a toy's size for a rehearsal; the last of two sweeps of a setting counts.
toy() {
    [ -n "${REHEARSAL:-}" ] || return 0
    echo --sweep device=cpu --sweep batch_size=2 --sweep data_workers=1 --sweep "max_iterations=${2:-4}" --sweep "model=$1"
    case $1 in
        bert_tiny | gpt2_tiny) echo --sweep seq_len=32 ;;
    esac
    [ "$1" != bert_tiny ] || [ "${3:-}" = squad ] || echo --sweep masked=5 --sweep fused_optimizer=false
}

# One command, ended when the time is up.
limited() {
    local left=$((limit - SECONDS)) code=0
    if [ "$left" -lt 15 ]; then
        echo "measure: no time is left for: $*" >&2
        failed=1
        return
    fi
    timeout --kill-after=20 "$left" "$@" || code=$?
    [ "$code" -eq 0 ] || { echo "measure: ended with $code: $*" >&2 && failed=1; }
}

# `bench run CASE ...` in the campaign of a part.
run() {
    local part=$1
    shift
    # shellcheck disable=SC2086 # words of a command
    limited $bench run --keep-going --resume --timeout "${TIMEOUT_S:-300}" --python "$python" --campaign "$campaign$part" \
        --staging "$folder/staging" --data "$folder/training" "$@"
}

# A folder of training data, once.
make_data() {
    local name=$1
    shift
    # shellcheck disable=SC2086
    [ -e "$folder/training/$name/made.json" ] || limited $bench data make "$@" --output "$folder/training/$name" --python "$python"
}

part_data() {
    if [ -n "${REHEARSAL:-}" ]; then
        make_data hdf5_seq32 hdf5 --seq-len 32 --rows 64 --vocab-size 512
        make_data squad squad --rows 20
        make_data tokens tokens --rows 20 --seq-len 64 --vocab-size 512
    else
        make_data hdf5_seq128 hdf5 --seq-len 128 --rows 40000 --files 16
        make_data hdf5_seq512 hdf5 --seq-len 512 --rows 4000 --files 16
        make_data squad squad --rows 400
        make_data tokens tokens --rows 4000 --seq-len 1024
    fi
}

part_tables() { run "" bert_base --trials 5 $(toy bert_tiny); }
part_gpt() { run "" gpt --trials 2 $(toy gpt2_tiny); }
part_squad() { run "" squad --trials 2 $(toy bert_tiny 4 squad); }
part_resnet() { run "" resnet50 $(toy resnet_tiny); }
part_throughput() { run -throughput bert_base_throughput $(toy bert_tiny 24) ${REHEARSAL:+--sweep start_iteration=4 --sweep stop_iteration=24}; }
# A CPU is never out of memory, and has no counters: these two are only written down in a rehearsal.
part_largest() { run -largest bert_base_max --sweep precision=fp16 --sweep batch_size=max ${REHEARSAL:+--dry-run}; }

part_graph() {
    run -graph bert_base --sweep precision=fp16 --sweep batch_size=64,96 --sweep cuda_graph=true --trials 3 $(toy bert_tiny) \
        ${REHEARSAL:+--sweep cuda_graph=false}
}

# No graph without a GPU, no kernels of ours without Triton, and compiling a toy takes longer than the toy.
half="--sweep half_weights=false"
plain="--sweep fused_kernels=false --sweep half_weights=false --sweep compile=false --sweep cuda_graph=false"

fast_toy() {
    case $1 in
        bert_base_fast) toy bert_tiny ;;
        gpt_fast) toy gpt2_tiny && echo ${REHEARSAL:+--sweep fused_optimizer=false} ;;
        bert_base_jax) toy bert_tiny | sed 's/--sweep \(data_workers=1\|fused_optimizer=false\)//g' ;;
        gpt_jax) toy gpt2_tiny | sed 's/--sweep data_workers=1//' ;;
    esac
    case $1 in *_fast) echo ${REHEARSAL:+$plain} ;; esac
}

in_turn() {
    local trial name
    for trial in 1 2 3; do
        for name in "$@"; do
            run -fast "$name" --trials "$trial" $(fast_toy "$name")
        done
    done
}

part_fast() { in_turn bert_base_fast gpt_fast; }
part_jax() { in_turn bert_base_fast gpt_fast bert_base_jax gpt_jax; }
# Half weights are for bf16 alone, and in fp32 the products are those of PyTorch.
part_columns() {
    local trial
    for trial in ${TRIALS:-1 2 3}; do
        run -columns bert_base_fast --trials "$trial" $half --sweep precision=fp16 --sweep batch_size=64,96 $(fast_toy bert_base_fast)
        run -columns bert_base_fast --trials "$trial" $half --sweep fused_kernels=false --sweep precision=fp32 \
            --sweep batch_size=32,48 --sweep max_iterations=100 $(fast_toy bert_base_fast)
        run -columns bert_base_fast --trials "$trial" --sweep phase=2 --sweep seq_len=512 --sweep masked=80 \
            --sweep batch_size=16,32 $(fast_toy bert_base_fast)
        run -columns bert_base_fast --trials "$trial" --sweep model=bert_large --sweep batch_size=32,64 $(fast_toy bert_base_fast)
    done
    run -losses bert_base_fast $plain --sweep phase=2 --sweep seq_len=512 --sweep masked=80 --sweep batch_size=32 \
        $(fast_toy bert_base_fast)
    run -losses bert_base_fast $plain --sweep model=bert_large --sweep batch_size=64 $(fast_toy bert_base_fast)
}

part_losses() {
    local seed name
    for seed in 42 43 44; do
        for name in bert_base_fast gpt_fast; do
            run -losses "$name" --sweep "seed=$seed" $(fast_toy "$name")
            run -losses "$name" $plain --sweep "seed=$seed" $(fast_toy "$name")
        done
    done
}

part_gpt_losses() {
    local seed
    for seed in ${SEEDS:-42 43 44}; do
        run -gpt-losses gpt_fast --sweep max_iterations=1000 --sweep "seed=$seed" $(fast_toy gpt_fast)
        run -gpt-losses gpt_fast $plain --sweep max_iterations=1000 --sweep "seed=$seed" $(fast_toy gpt_fast)
    done
}

part_pairs() {
    local precision batch
    for words in "fp32 32" "fp16 64" "fp16 96" "bf16 96"; do
        read -r precision batch <<<"$words"
        echo "$precision, batch $batch, head on all positions"
        limited "$python" runners/pytorch/against_huggingface.py --precision "$precision" --batch-size "$batch" --head all \
            ${REHEARSAL:+--model bert_tiny --device cpu --seq-len 32 --masked 5 --pairs 2 --steps 7 --batch-size 2}
    done 2>&1 | tee -a "$folder/pairs.txt"
}

part_sampler() {
    local trial sampled
    for trial in 1 2 3 4 5; do
        for sampled in 100 0; do
            run "-sampled$sampled" bert_base --sweep precision=bf16 --sweep batch_size=96 --trials "$trial" \
                --sample-ms "$sampled" $(toy bert_tiny)
        done
    done
}

part_phases() {
    run -phase2 bert_base_phase2 $(toy bert_tiny)
    run -large bert_large $(toy bert_tiny)
}

part_megatron() {
    run -megatron gpt_megatron ${REHEARSAL:+--sweep device=cpu --sweep model=gpt2_tiny --sweep seq_len=32 --sweep batch_size=2 --sweep max_iterations=4 --sweep precision=fp32}
}

part_two() { run -two bert_base --sweep precision=bf16 --sweep batch_size=96 --gpus 1,2 --trials 5 $(toy bert_tiny); }
part_two_fast() {
    local trial name
    for trial in 1 2 3; do
        for name in bert_base_fast gpt_fast; do
            run -two-fast "$name" --gpus 1,2 --trials "$trial" $(fast_toy "$name")
        done
    done
}
part_two_fp16() { run -two bert_base --sweep precision=fp16 --sweep batch_size=96 --gpus 1,2 --trials 3 $(toy bert_tiny); }
# In the campaign of the tables, whose second row these are.
part_two_tables() {
    run "" gpt --gpus 2 $(toy gpt2_tiny)
    run "" bert_base --gpus 2 $(toy bert_tiny)
}

part_torch_profile() { run "" bert_base --sweep precision=fp16 --sweep batch_size=32 --profile torch $(toy bert_tiny 40); }
part_ncu() {
    # README 003's program has Adam, whose fused kernels are few: each takes ncu a fifth of a second.
    run "" bert_base_throughput --sweep precision=fp32 --sweep batch_size=32 --sweep optimizer=adamw --profile ncu:${NCU_KERNELS:-2000} ${REHEARSAL:+--dry-run}
}

[ $# -gt 0 ] || { sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$folder/staging"
for part in "$@"; do
    [ -n "${about[$part]:-}" ] || { echo "measure: no part $part; known: ${!about[*]}" >&2; exit 2; }
done
for part in "$@"; do
    began=$SECONDS
    "part_$part"
    echo "measure: $part took $((SECONDS - began)) s; it was to take ${about[$part]}"
done
exit $failed
