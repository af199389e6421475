<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
    <context>
        <name>vramtuner</name>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>the allocator grows what it holds; on ROCm 7.0 and later only, with bugs still open there</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>generate's prefill_chunk_size; the prompt takes longer</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>largest pool</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>only the driver's {free} stays free</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>weights nf4</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>4-bit weights; check the answers' quality</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>weights nf4-dq</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>4-bit weights, their scales in 8 bits; check the answers' quality</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>weights int8</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>8-bit weights; check the answers' quality</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>attention auto</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>the kernel this device gets by default</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>dtype bf16</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>half the bytes per value</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>batch 1</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>one request at a time</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>beams 1</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>greedy search or sampling</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>logits last</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>what generate keeps</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>allocator {expandable}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>prefill chunk {chunk}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache offloaded</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>keys and values move over the bus for every token; slow</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache fp8</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>8-bit keys and values; check the answers' quality</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache int8</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache int4</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>4-bit keys and values; check the answers' quality</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>checkpointing on</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>activations are computed again in the backward pass</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>pass inference</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>torch.no_grad or torch.inference_mode around the pass</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>{observations} passes of {model} from {lengths:,} to {lengths2:,} tokens</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>{parts}; measured in {where} on {device}, {created}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>offset {offset_bytes} ± {offset_error_bytes}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>slope {slope:+.2%} ± {slope_error:.2%}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>the passes scatter by {scatter}, more than {most_scatter:.0%} of the largest; close what else runs on the device and profile again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>the passes grow {slope:+.0%} as fast as forecast, which is no correction but another pass; check that the kernel which ran is the one that was forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>{lengths} lengths are too few to calibrate; profile {least_lengths} or more</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>the passes are too much alike to tell a slope from an offset; profile lengths further apart</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>outside torch {outside}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/cli/passes.py"></location>
            <source>the file is marked not validated; add --validate to prove it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>weights</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>kv cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>logits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>activations</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>workspace</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>overhead</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>positions</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>recorded range</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>In tensors at {tokens}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Bound by</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Needs at {tokens}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Peak at {tokens}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Pool</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Figures</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Seconds for {tokens}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>measured, {created}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>default</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>this plan</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>fused on {gfx} only with {variable}=1 ({source}){newer}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>; checked up to torch {table_torch}, not {text}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>set in this environment</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>not set in this environment</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>{gfx} has no fused attention kernel with torch {text} ({source})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>heads of {head_dim} are over the {head_dim_max} that {gfx}'s fused attention takes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>{flash_refuses} needs heads of a multiple of {multiple}, not {head_dim} (pytorch sdp_utils.cpp)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>the CPU stand-in has PyTorch's fused CPU kernel</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>this device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>no fused attention kernel is known for {where} with torch {text}; math is assumed</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>fused attention on {gfx} ({source}){newer}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>{only_with}; it is not set</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>a mask</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>no fused kernel takes grouped heads in {flash_refuses} on ROCm (pytorch sdp_utils.cpp)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>torch {text} has no fused kernel for grouped heads on ROCm (pytorch 135869)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>torch version {text!r} cannot be read; give it as 2.13.0</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/catalogue.py"></location>
            <source>{label} (one of {dies} dies)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/catalogue.py"></location>
            <source>{label} with {ram} GiB of RAM</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/catalogue.py"></location>
            <source>half of {ram} GiB of RAM, the kernel's default limit for graphics (GTT); raised by ttm.pages_limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/catalogue.py"></location>
            <source>catalogue, nominal ({source_spec})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/cuda.py"></location>
            <source>fallback: NVIDIA at {slots} is not listed, since memory is read from AMD's driver only; a CUDA build of torch names such GPUs by its own index, and nothing here was checked on one</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>unknown device {text!r}; give a local index, cpu, or a catalogue name such as {near}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>CPU stand-in</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>this machine's RAM; not a GPU</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>there is no GPU {name} here ({gpus} found); give cpu or a catalogue card such as w7900</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>say how much RAM: {sizes}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>run on it, where it is found by its index</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>{label} is an APU, whose memory is its machine's; {ask}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>the pool of {pool_bytes} is more than the {free_bytes} free {when}: close {held_by}, or {instead}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>HIP counts {hip_bytes} free, the driver {driver_bytes}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>{text}: {less} less by HIP, which keeps some for itself or has seen an allocation first</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>lower the pool to {fitting:.2f} GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>use another device: the runtime alone takes up to {low}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>HIP counts {hip_bytes} free, the driver does not count</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>{text}: the same</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>{text}: {more} more by HIP, which leaves out what graphics programs hold</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>GPU {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>it holds no number</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} of {device} can be read again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} of {device} cannot be read ({reason}), as while a GPU is reset or sleeps: its value is unknown until it can be read again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} is back; programs that used it before must be started again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} is not among amdgpu's devices (unbound, removed or reset): its memory is unknown until it is back, and what was in it must be loaded again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>no reason given</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>other or not visible</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>pid of the host, name not visible from here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>shared buffers, counted above more than once</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>not visible from here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>read from the amdgpu driver</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>KFD, the compute part of the driver, does not show this GPU, so that HIP does not either</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>KFD, the compute part of the driver, is not loaded: HIP shows no GPU; the gfx target is the catalogue's</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>one of {group} partitions: the driver counts used memory for the whole card only{counted}, so that graphics clients are not counted here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>an APU: allocations come from system memory, at most {total} shared with every program, and the {carved} that the BIOS set aside stay unused by ROCm{assumed}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>{name} (partition {place} of {parts})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>{name} (one of {dies} dies)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source> ({vram_used} of {whole})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>the partition's memory, read from KFD</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>an APU: allocations come from the {carved} of RAM that the BIOS set aside for it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>; KFD is not there to confirm it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>system memory that the driver lends this APU (GTT)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>there is no {device}: HIP cannot start here; a container needs the devices /dev/kfd and /dev/dri</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>{device} may not be opened: HIP cannot start; join the groups render and video and log in again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>read from KFD; amdgpu's own files are missing</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/ram.py"></location>
            <source>{path} cannot be read: used RAM is unknown until it can be read again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/ram.py"></location>
            <source>{path} can be read again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>{name} is not in this machine; sample a local GPU, by its index, or cpu</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>a rate of {hz:g} samples a second is not possible; give more than 0 and at most 1000</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>{seconds:g} s of samples cannot be kept; give more than 0 s and at most {most:.0f} s</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>the high-water mark can be read again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>a sample was left out ({name}); please report this</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>the high-water mark cannot be read ({name}): peaks between samples are not seen until it can be read again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/smi.py"></location>
            <source>{source}; what is used was asked of amdsmi, at most a minute ago</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/spec.py"></location>
            <source>a pool of {pool} does not fit {name}: of its {vram_bytes} {driver_margin_bytes} must stay free; give at most {max_pool_bytes}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>no AMD GPU is here: the amdgpu driver shows none. If one is built in, see whether lspci lists it and lsmod lists amdgpu; a container must be given /dev/kfd and /dev/dri. Without one, plan for a catalogue card and run passes on the CPU stand-in</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>what holds it ({names}{more})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>what holds it (no process that is visible from here)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>; and {rows} more</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>process {pid} of the host</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>{name}, process {pid}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>programs that take RAM</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{setting} shows {shown}, in this order and counted from 0{why}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>; the list ends at {ended}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{setting} has no GPU to choose from</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{setting} hides every GPU{why}; unset it, or name one as {name}=0</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>, counting among what {rocr} left</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>GPU {before}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{cuda} is not read, because {hip} is set</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{hip} is set but empty, which HIP takes for not set; PyTorch may still count no GPU: unset it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{cuda} is set but empty, which HIP takes for not set; PyTorch may still count no GPU: unset it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>an empty entry, which makes ROCr fail to start</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{quoted}, which names no GPU of {uuids}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{quoted}, which names a GPU for the second time</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>attention N² buffers</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>allocator slack</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>runtime overhead</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the weights bind</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the KV cache binds</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the logits bind</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>activations bind</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>attention's buffers bind</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the runtime's own memory binds</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the model has no more positions</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the tape speaks for no more</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{name} on {name2}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} does not fit {cap}: needs {need}, the pool is {pool}. The limit is {limit}; {binds}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{binds} in {phase}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{limit} (the model was made for {max_positions:,})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} does not fit at all: {binds}, one token needs {need} and the pool is {pool}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} fits {cap}, using {need} of a {pool} pool. The limit is {limit}; {after}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} takes at most {limit}: {binds}. Lower the token cap.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{name} has {cap:,} positions; {tokens:,} tokens cannot run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{binds} next</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/hip.py"></location>
            <source>HIP was not asked what is free: no HIP device is here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/hip.py"></location>
            <source>HIP does not say what is free on {key}: {problem}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/hip.py"></location>
            <source>HIP was not asked what is free: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>, all this device can give</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>, checkpointing (no effect on inference)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Source article</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>A pool of {pool}{given}, {article_token_cap:,} tokens{kept}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Max context</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>All {cap:,} positions, the largest pool, {costs}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Lowest memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>The same cap, one request at a time, {costs}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>4-bit weights</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>activations computed again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>nothing else that would help</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Defaults</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>80 % of the memory as the pool ({default_pool_bytes}), nothing else changed</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>a 4-bit cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>the cache in RAM (slow)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Token cap</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>New tokens</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Batch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Beams</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Weights</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Keep modules</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Attention</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Checkpointing</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Pass kind</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Prefill chunk</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Data type</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Logits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Allocator</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Safety margin</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>KV cache auto</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>static KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>offloaded KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>8-bit KV cache (fp8)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>8-bit KV cache (int8)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>4-bit KV cache (int4)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>inference</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>a forward pass that records gradients</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>a training step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>autograd</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>training</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>logits of the last token</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>logits of every token</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>on</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>off</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>batch {value:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>safety margin {percent}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>all prompt</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>whole prompt</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>as usual</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>pool {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>default pool</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>token cap {value:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>default token cap</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} of them new</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} beams</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>no beams</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>weights as stored</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{weight_bits}-bit weights ({value})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>unquantized: {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>unquantized: as usual</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>the device's own attention kernel</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} attention</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>checkpointing off</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>prompt in chunks of {value:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>prompt at once</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>the checkpoint's data type</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>logits {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>allocator {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>default allocator</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>as stored</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source> (auto)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>last token</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>every token</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>each limit is the largest request that fits the pool with its margin, exact to the token on the recorded memory of the model's own operations; overhead and allocator slack of GPUs are estimates, not yet verified on a GPU</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>not recorded yet</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>tape {place} of {count}, {name}: {stage}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>a matrix of {count:,} cells: name models and devices for 1 to {most_cells:,} of them</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>a worker process of the matrix died, perhaps for want of memory; try --jobs 1</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_files.py"></location>
            <source>{name} has none of the suffixes {writers}; choose one of them</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_files.py"></location>
            <source>{path} is a folder; name a file in it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_files.py"></location>
            <source>there is no folder {parent}; create it or choose another</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the weights</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the logits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the activations</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>attention's buffers</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the runtime's own memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the model's positions</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the range of the tape</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>does not fit</source>
            <translation type="unfinished"></translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/matrix_text.py"></location>
            <source>{n:,} tokens need {needed} of a {pool} pool</source>
            <translation type="unfinished">
                <numerusform></numerusform>
                <numerusform></numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{where}: at most {limit_tokens}{beyond}, bound by {binds_text}; {needs}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>vramtuner {version}, {created}{tapes}. Method: {method}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{where}: no forecast, {reason}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{where} does not fit at all, bound by {binds_text}; {needs}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source> (made for {max_positions:,})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Memory of {names}: {source}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>, tapes recorded with {tape_versions}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Limits are tokens of a request, prompt and new ones together; a dash is a cell without a forecast.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source> under {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>A limit above what a model was made for fits the memory, but the text may degrade.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Peaks are without the safety margin; a star marks requests that do not fit the pool with it.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>every device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>every model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>No forecast{under} of {which}: {text}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>With other levers, which they can take, {which}: {text}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Made for</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Token limits: {variant_title}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{who} on {where}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Tokens</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Peak memory on {name}: {variant_title}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>no model at {text!r}; give a folder with config.json, a .gguf file, or a preset: {presets}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>preset {name} ({source})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{text} is neither a model folder, a config.json nor a .gguf file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is nested deeper than any real config.json</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{source} describes an already quantized checkpoint ({quantization}), whose bytes only its files tell; model.safetensors is missing: choose the folder of the whole checkpoint</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{text!r} cannot be looked at: {strerror}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{text!r} cannot be looked at: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is not a file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is larger than any real config.json</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{parent} has no config.json; choose the folder that holds the model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} cannot be read: {strerror}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is not a JSON object ({error})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{name}: there is no part {number:,} of {count:,}; give the file as published</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{missing} is missing ({missing2:,} of {count:,} parts); download all parts into one folder</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: the parts hold {held:,} tensors of {told:,}; download the model again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: {what}; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is not a GGUF file; its first bytes are not GGUF</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} ends in its first 24 bytes; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is a big-endian GGUF, which llama.cpp reads on no GPU host; convert it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is GGUF version {version:,}; versions 2 and 3 can be read</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a key</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>key {key!r} has a value of unknown type {kind:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>key {key!r} is a list of unknown type {kind:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{key!r} lists {count:,} layers</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>its alignment is not a power of two</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a tensor's name</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is truncated: {short:,} bytes of its tensors are missing; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} has {dimensions:,} dimensions</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: tensor {name!r} is of the unknown type {kind:,}; a newer gguf package may know it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} has rows that are not whole blocks, or too many</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} names no architecture; it is not a model of llama.cpp</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is not a language model but goes with one; give the model's own file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} holds no tensor, only a vocabulary; give the model's own file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: {key} is {value}; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: it claims {layers:,} layers; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: two parts hold the same tensor; download the model again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{name} cannot be looked at: {strerror}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: its part numbers are not numbers; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} says that it is one of {count:,} parts, and {parts:,} are there; keep the names as published, NAME-00001-of-0000N.gguf</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: the parts are not in the order of their names; download the model again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>no GGUF file at {path}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} cannot be looked at: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is truncated or damaged: it ends in its header; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} became shorter while it was read</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>it claims {count:,} {what}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{what} of {length:,} bytes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a list of {count:,} strings</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>key {key!r} is there twice</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a value of {key!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} is there twice</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} does not begin where the one before it ends</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} does not say its {name}; it is not a language model of llama.cpp</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: {name} lists {value:,} layers of {layers:,}; download it again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{what} that is not text</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{name} is {shown}; it must be a whole number from {least} to {most:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{name} names {value:,} layers; no model has more than {max_layers:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>a list</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>an object</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{source}: {problem}; copy its config.json again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{source}: {name} is {shown}; it must name a dtype, such as bfloat16</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>, which leaving them out of a text_config usually means</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>{where} names no {names}: sizes are transformers' defaults for {model_type}{why}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>{source} describes an already quantized checkpoint and names no quant_method; copy its config.json again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>The text_config of {source}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>This is the text model inside a larger one ({kinds}); images and sound are not counted.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>{source} names no model_type; it is not the config of a transformers model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>unknown model_type {model_type!r} in {source}: transformers has no causal language model of it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>The folder carries its own code (auto_map); it is ignored and the built-in class is used.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>model_type {model_type!r} needs code from the model's own folder (auto_map), which is never run here; use a checkpoint converted to a built-in transformers class</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>the safetensors files of {name} hold no tensor</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{index} is larger than any real index</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{label} is a broken link or not a regular file; copy the whole checkpoint</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{label} has a header of {header:,} bytes, which is larger than any real one</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{name} holds only pickled weights, which can run code when loaded; convert them to safetensors</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{index} is not a safetensors index</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{index} names a shard outside its folder: {shard!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{shard} is missing from {name}; copy the whole checkpoint</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{label} is truncated or damaged ({error}); copy the file again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{name} holds tensors of an unknown type {dtype!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>ok</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>out of memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>refused</source>
            <translation type="unfinished"></translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/profiling.py"></location>
            <source>{n} real passes</source>
            <translation type="unfinished">
                <numerusform></numerusform>
                <numerusform></numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/profiling.py"></location>
            <source>{n:,} tokens run in {pool}</source>
            <translation type="unfinished">
                <numerusform></numerusform>
                <numerusform></numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>Not confirmed: {found} ({count}); the forecast is {forecast_tokens:,}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>a {kv_cache} KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>a prompt in chunks</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>passes with {what} take less than forecast at most lengths, so that they cannot calibrate; profile without it, and the calibration then speaks for it too</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>Confirmed by {count}: {found}, and no more can be asked.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>Confirmed by {count}: {found}, {fails_tokens:,} do not.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>, and more may</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source> and {fails_tokens:,} do not</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>{name} at {pci_bus_id}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Checkpointing changes nothing in an inference pass: it drops activations that autograd would keep, and nothing is kept when autograd does not record.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Checkpointing changes nothing in a forward pass of a model in evaluation mode, with autograd on as without: transformers checkpoints in training mode only.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>tape recorded with {versions} on CPU kernels; held-out check at {held_out} tokens: {residual_bytes} off</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{text}; tokens are padded to multiples of {granule:,}, and the most is counted that is padded as far</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{cap:,} tokens are beyond the {max_positions:,} positions of {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>what holds it (see `vramtuner devices`)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>when it was looked at</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>a whole chunk is counted where the prompt's last one is shorter</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>not yet verified on a GPU</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>calibrated: {text}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Gradients are counted with the activations; the optimizer's own memory is not counted.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>The tape is off by {residual} at the length held out to check it.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Attention: flash is {note}. PyTorch then runs math silently, which takes more than this.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Attention: {note}; the env file sets it.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>overhead estimated, {low} to {high}, the larger taken</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>GPU correction: softmax reads fp16 scores without a 32-bit copy (ATen SoftMax; not verified on a GPU)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>allocator: estimated, the tape replayed through a model of PyTorch's caching allocator</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{beyond}; its position table ends there and longer requests fail.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{beyond}; the pass runs, but the text may degrade.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>The files hold {stored} of weights in {dtype}, the config explains {recorded}: the folder may hold parts of another model, or not all of this one.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/recording.py"></location>
            <source>the probe finished without a tape</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>prefill</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the prompt's later chunks</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>decode</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the forward pass</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the training step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the request</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>asked for; by default, {note}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>{later:,} new tokens leave no prompt in a token cap of {cap:,}; lower them, or raise it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>llama.cpp has flash attention of its own; any other kernel here is without it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>the run is no longer kept in {path}: {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} is not the file of a run; runs are kept in {runs_folder}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} is a run of format {format}; this release reads format {format_version}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} is not the file of a run: it has numbers that nothing can have</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>Parquet needs the library pyarrow: pip install 'vramtuner[parquet]', or use CSV</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>the run cannot be kept in {path}: {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} cannot be read as a run: {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>How the limit moves</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>limit {tokens:,} → {limit}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>nothing changed</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>not even one token fits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>limit {limit}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>the limit stays at {limit}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>there is no step {place}; the script has {steps}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>caption</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>a script has at most {max_steps} steps; delete some to add others</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>{model} on {device}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>the {what} of a step must have at most {most} letters, not {text:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>the {what} of a step must be one line of text without control characters</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>choose a file that was saved with Save session</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session's device cannot be found: {reason}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session is larger than {max_bytes:,} bytes; take plans or steps out of it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is a session of format {number}, from a later release than this one, which reads format {format_version}; update vramtuner to open it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is not a session file: there is no format {number}; {not_a_session}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is not a file; {not_a_session}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is larger than any session file; {not_a_session}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{model} has changed since the session was saved; figures are of the model as it is</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{shown} is not in this machine; the plan is for the card of that name in the catalogue</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{shown} is not in this machine; GPU {key} is {name} now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session cannot be saved: the path of its model is no text ({model}); rename the folder</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session cannot be saved in {label}: {reason}; choose another folder</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} cannot be read as a session: {reason}; {not_a_session}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is not a session file; {not_a_session}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is a damaged session file: {error}; save the session again</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session's model cannot be opened: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the pool must be above zero, not {pool_bytes} bytes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the token cap must be from 1 to {max_tokens:,}, not {token_cap}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the new tokens must be from 0 to one below the token cap, not {new_tokens}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the batch must be from 1 to {max_batch:,}, not {batch_size}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the beams must be from 1 to {max_beams}, not {beams}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the prefill chunk must be from 2 to {max_tokens:,}, not {prefill_chunk}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the margin must be from 0 to 1, not {margin}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>{allocator!r} does not read like PYTORCH_ALLOC_CONF</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>a pass of kind {pass_kind} takes its whole input at once; leave out new tokens, beams, prefill chunk and KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>quantized weights have no gradients; training goes with weights none</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>{name!r} is not the name of a module, such as lm_head</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>backend:{value} leaves memory to the driver, which no forecast covers; use backend:native</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>backend must be native, not {value!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be True or False, with a capital, not {value!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be a whole number of MiB from {at_least} up, not {value!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be a fraction such as 0.8, not {value!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>garbage_collection_threshold must lie between 0 and 1, not be {value!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>allocator options are key:value pairs with commas between, which {text!r} is not</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be a power of 2 or a list such as [256:1,512:2,&gt;:8], not {value!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} has entries MiB:divisions with MiB a power of 2, not {entries!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} needs divisions that are 0 or a power of 2, not {steps}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key!r} is not an option of PyTorch's allocator; those that matter are {known}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} cannot be {value!r} in PyTorch; leave it out, it changes no memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>Compute buffer estimated by closed forms that were checked against llama.cpp's CPU backend (90 points within 1 %); quantized KV takes extra scratch on a GPU.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>computed, not recorded: closed forms of what llama.cpp plans, which were checked on its CPU backend</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp pads a context to {pad} tokens: counted exactly up to {exact_tokens:,} tokens, beyond with the most that padding can add ({pad2} tokens).</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>mixture of experts</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>latent attention (MLA)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>recurrent layers</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>sliding windows in the compute buffer</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>the micro-batch must be from 1 to {max_micro_batch:,} tokens, not {micro_batch:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>{estimate}; micro-batch {micro_batch:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>a GGUF file is quantized as it is; leave weights at none, or choose another file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp only runs models; a GGUF file has no forecast of kind {pass_kind}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp's server has no beams; use 1 beam with a GGUF file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp has no KV cache of kind {kv_cache}; use auto (f16), int8 (q8_0) or int4 (q4_0)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp quantizes V only with flash attention, not {attention}; use flash or auto</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>Of llama.cpp's code by reading only, not checked by a run: {untested}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>The file names a window but not which layers slide; every layer is counted with the whole context.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp keeps the token embeddings ({size}) in host memory; they are counted in the weights here.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>Each of the {batch_size:,} parallel sequences has the request's tokens of its own (--parallel B --ctx-size B·N, cache not unified).</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>closed forms</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp takes no {kv_type} cache for heads of {size:,}; use auto (f16)</source>
            <translation type="unfinished"></translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/units.py"></location>
            <source>{n:,} tokens</source>
            <translation type="unfinished">
                <numerusform></numerusform>
                <numerusform></numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>not a size: {text!r}; write for example 10GiB, 512MiB or 8.5GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>size must be above zero: {text!r}; write for example 10GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>size is beyond any device: {text!r}; write for example 10GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>not a token count: {text!r}; write for example 4096</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>token count must be from 1 to {max_tokens:,}: {text!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>not a size: {text!r}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{passes} passes were run, not those at {value} tokens</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{name} is a GGUF file; passes of it need llama.cpp, which is not run here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{name} is not in this machine, so that no pass can be run on it; choose a device that is here, such as cpu, or export without validation</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{lengths} lengths are too many to validate; add at most {most_lengths}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{tokens:,} tokens were not refused although the cap is {token_cap:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{tokens:,} tokens: {message}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{tokens:,} tokens went {peak_bytes:,} bytes over the pool</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/app.py"></location>
            <source>Something unexpected happened ({name}). Your levers are unchanged; please report the details.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/app.py"></location>
            <source>give one model: the file, or --model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>{passes} passes: {worst}. {article}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>the forecast is off by {error:.2%} at most</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>none of them ran to its end</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Forget</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Go back to the forecast as recorded</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Calibrated: {text}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Calibrate</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Keep what these passes correct for this device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>The calibration is forgotten.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>There is no calibration.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>nothing was calibrated: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Find {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>{name} of the matrix</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Check all</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Check none</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>{name}, {checked} checked</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Clear</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>This plan is pinned already; move a lever, and pin that too.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>This run is in the comparison already.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>What these were compared with is not there any more: {names}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>At most {most} can be compared with the current plan; take one out first.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>its tape has to be recorded: open this plan once</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>defaults</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>{name}, text</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>{title} ({count} changed)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>open</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>closed</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>llama.cpp quantizes the cache with flash attention only</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>for quantized weights only</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>quantized weights have no gradients</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>the checkpoint is quantized already ({quantization})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>a model of type {model_type} keeps no keys and values</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>a model of type {model_type} has no attention</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>a GGUF file is quantized as it is</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>the file decides it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>Changes nothing here: the CPU stand-in has no such allocator.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>Changes nothing: llama.cpp makes its buffers for the whole request.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>Changes nothing up to the cap: its longest prompt, {prompt:,} tokens, is one chunk.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>this device would run {attention} in its place: {note}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>not in a pass of kind {pass_kind}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>llama.cpp has no counterpart</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>llama.cpp has no such cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Details</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Details of what is wrong with the {of}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Copy</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Copy the message and its details</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Copy what is wrong with the {of}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>&amp;System</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>&amp;English</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>&amp;Deutsch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>{text!r} can be read in two ways; write {plain} or {decimal}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Cancelling…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>{stage}, {size:.0f} MB so far</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Starting</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>the installation cannot be started: {strerror}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>it ended without a word</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>, cut short</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>kept run of {time_text}{ended}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>{path} cannot be moved to the trash; delete the file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>Wrote {target}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>{target} cannot be written: {strerror}; choose another folder</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>An export runs half the token cap, all of it and 1.5 × the cap.
Also, in tokens (for example 1k, 3k):</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Open model folder…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Open &amp;model file…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Edit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Undo</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Redo</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Copy plot as P&amp;NG</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Copy plot as S&amp;VG</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Copy plot's v&amp;alues as CSV</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Save plot…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Pin this plan to compare</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Profile</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Confirm &amp;limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Cali&amp;brate by these passes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Forget the calibration</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Validation lengths…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Export…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Cancel run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Lo&amp;garithmic token axis</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Save the plot</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Validation lengths</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;File</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Quit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;View</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Next step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Theme</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Lan&amp;guage</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>The language changes when vramtuner is started again.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Live</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Devices</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Compare</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Matrix</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Wrote {path}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>the rest of the session is shown with {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>the rest of the session is shown on {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>levers that {name} has no use for are at their defaults</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>{name} cannot give a pool of {value}; it is at its default</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>its levers cannot be taken and are at their defaults: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Results</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Method and warnings</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Runs</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Fold the tables</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Leave the room to the plots</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Confirm limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>E&amp;xport…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>&amp;Cancel</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Stop the run (Esc)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Progress</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Results of passes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>No pass has been run yet.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Export the deployment file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Environment files (*.env)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Activity</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>&lt;b&gt;Method:&lt;/b&gt; {method}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>&lt;b&gt;Memory of {name}:&lt;/b&gt; {source}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Method and warnings ({count})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Method</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Run real passes and compare them with the forecast (F5)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Run the longest request that the pool itself holds, and one more (Shift+F5)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Validate these levers and write an env file (Ctrl+E)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Differences</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Pin this plan</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Keep the current plan here, to compare others with it (Ctrl+D)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Default</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>The same request under no levers at all: before and after</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Equal rows too</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Pin this plan, then move levers: both are drawn here, and what differs is listed.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Take it out of the comparison</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Take out {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>{name}
Click to open this plan</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Change</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Used</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Free now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>HIP's count</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Other heap</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Overhead</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Unique id</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Note</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>The rows add up to {vram} of VRAM{mapped}, what the driver counts as used.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{text}, the driver's count</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{counts_text}; asked at {at:%H:%M:%S}, when passes began</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>GTT, system memory that it may map: {part}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{used} of {total} used</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Real passes on the processor, in this machine's RAM</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{compute_units} compute units</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>not there now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>It is not there now, so that nobody holds its memory.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Processes are listed for GPUs only.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>The driver does not count the whole, so that rows may be missing.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source> and {gtt} of GTT</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>The rows add up to {vram} of VRAM{mapped}, what is counted for this partition.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{used}, RAM that is not available</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{used}, by everyone, </source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{text}, RAM that is available</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{text}, the smaller of available RAM, {ram_bytes},{driver}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>not asked: passes on this GPU ask it when they begin, and so does `vramtuner devices --hip`</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>VRAM, the BIOS's carve-out: {part}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>hidden from HIP</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>HIP's GPU {runtime_index}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>estimated, {low} to {high} a process</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>unknown</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>counted for this partition</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>the driver's count</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source> and the driver's {driver_bytes}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{junction_celsius:.0f} °C at the hottest spot</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{watts:.0f} W</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{celsius:.0f} °C</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{pool} by default, {pool_fraction:.0%} of the memory; alert at {alert_fraction:.0%} of it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>none: the driver's margin takes all of the memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>gfx unknown</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>{short} of {total} used</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>planned for</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>Devices of this machine</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>{short} of {total} free</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Refresh</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Look for devices again (Ctrl+R)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Refresh devices</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Notes on devices</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Events of the device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Use this device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Plan for this device; Ctrl+Z takes it back</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>The pool and what is free</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Who holds its memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Facts of the device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>used</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>free</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>busy</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Planned for</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>its limit is known once its tape is recorded, which choosing it does</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the cap is {apart:,} above it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the cap is the limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the cap is {apart:,} below it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>Effect on the limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>Levers</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the limit stays {tokens:,}; {distance}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>limit {tokens:,}; {distance}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>with {most}: {arrow}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the limit stays {best:,} with any other</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>{label}: as it is, limit {tokens:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>limit {text}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>limit {before:,} → {after}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>waits for the forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the largest there can be; limit {tokens:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the limit is {tokens:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>{itemtext}, limit {text}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>  limit 100,000,000</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source> in {phase_labels}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>log</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>Logarithmic token axis</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>Tokens on a logarithmic axis (Ctrl+L)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>Memory by component</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source> (the cap)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>At {tokens}{where}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>peak{place} &lt;b&gt;{peak}&lt;/b&gt; · with margin, dotted: &lt;b&gt;{needed}&lt;/b&gt;</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>int8, 8 bits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>nf4, 4 bits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>fp4, 4 bits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>nf4-dq, 4 bits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>fp4-dq, 4 bits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>auto (f16)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>int8 (q8_0)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>int4 (q4_0)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>at most {most} ({driver_margin_bytes} stays free)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>More lever&amp;s</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>The hard ceiling of a request, prompt and new tokens together, such as 4096 or 8k</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Token cap, slider</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>The memory this process may take, such as 10GiB or 8.5 GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Pool, slider</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Tokens of the cap that are generated; all prompt is the most that any split takes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Requests that run together</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Quantize the weights with bitsandbytes; check the answers' quality.
dq quantizes the constants of its blocks again (double quantization).</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>auto grows with the request; static is allocated whole at the start; offloaded keeps one layer on the
device; the others are quantized</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>The attention kernel; auto is what PyTorch takes on this device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Token cap</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Poo&amp;l</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;New tokens</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Weights</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;KV cache</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Attention</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Batch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>in tensors</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>reserved by PyTorch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>own process</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>whole device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>load</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Replay</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Moment of the run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Speed of the replay</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Time in the run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Follow</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Go to the newest reading, and with it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Speed</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>{now:,.1f} of {last:,.1f} s</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Show {name}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Live memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>At {now:,.1f} s</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>measured on {device_name}{rest}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Pause</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>At the end of the run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Play</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>CSV, every figure (*.csv);;Markdown (*.md);;HTML, one page (*.html)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Scale of colours: {smallest:,} to {largest:,} tokens, each step a doubling</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Record the missing ones</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Save…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Write the table as CSV, Markdown or HTML</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Check a model and a device.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Save the matrix</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Models</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Devices</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Cancel recording</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Stop; what was recorded until then is kept</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Record the passes of these models; some take minutes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Working out {stale:,} of {total:,}…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Each cell is the largest request that fits, in tokens. Enter or a double click opens its plan.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>{missing:,} of {total:,} not recorded yet</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>not worked out</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Longest requests that fit, in tokens</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>, with {changed}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>{path} cannot be written: {strerror}; choose another folder</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>{name}: {count}, made for {max_positions:,} tokens, {source}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>{parameters:,} parameters</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>parameters not counted</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>{name} on {name2}: being worked out.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>not recorded</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>no forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>Token limits, models down and devices across</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>last token only</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>llama.cpp has no counterpart of what is greyed.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>default ({tokens})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Beams of each request: every row of the batch is repeated once a beam</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Prompt tokens a pass, such as 512 or 2k</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Gradient c&amp;heckpointing</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Compute activations again in the backward pass instead of keeping them</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>generate keeps the last token's logits only</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>The type of weights and activations; auto is the checkpoint's own</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Modules that stay unquantized, in place of the usual lm_head: name it too</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>PyTorch's allocator options, as in PYTORCH_ALLOC_CONF</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Kept free on top of everything that is not weights</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Prefill ch&amp;unk</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Lo&amp;gits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Data t&amp;ype</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>at {token_cap}, by the tapes with and without.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Checkpointing takes nothing off the peak {at}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>the micro-batch must be at most {max_micro_batch:,} tokens, not {size:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>as in the file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>auto ({dtype})</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Micro-batch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>would take</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Checkpointing {verb} {saved} off the peak {at}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>Notice</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>Write anyway, marked “not validated”</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>What else is known of the cause</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>Dismiss</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>Presets</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>Presets of levers</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>Whole sets of levers to start from; Ctrl+Z takes one back</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>limit {limit:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>needs PyTorch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>Name</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>User</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>VRAM bytes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>GTT bytes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>The process's id</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>The program's name</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>Whose process it is</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>The card's own memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>System memory that the GPU maps</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>Processes that hold memory of the device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>{value:,} bytes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>profile</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>limit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>validation</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>kept run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Outcome</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Measured</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Error</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Time</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Measured on</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>{seconds:.1f} s</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Comma-separated values (*.csv);;Parquet (*.parquet)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>When</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Runs that were kept</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>No run has been kept yet. Profile (F5) keeps one.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Show this run in the Live tab, to be played again (Enter)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Compare</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Put this run beside others in the Compare tab</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Export…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Write its readings as CSV or Parquet</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Discard</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Move the run's file to the trash (Delete)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open file…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open a run from anywhere</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Export the readings</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open a run</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Runs (*{suffix});;All files (*)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>No steps yet. Set the levers in the window and press F9: what they show becomes a step. F11 presents the steps in large type; the arrow keys move between them.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Script – vramtuner</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Script</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>What was changed last</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Steps</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Move up</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Move down</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Delete</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Undo</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Make a demo: “{demo_title}”</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Some steps for the model and the device of the window, to begin with</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Undone.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Caption of step {row}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Caption</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>What moves</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Step {row} is step {row2} now.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Deleted step {row}: “{caption}”</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Deleted step {row}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Inference</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Autograd</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Training step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Takes its whole input at once: no new tokens, KV cache, beams or chunks.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Parameters</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Stored as</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Positions</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Class</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Source</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Target</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Models (*.gguf config.json);;All files (*)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source> · {vram_used_bytes:.0%} used</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>the GGUF file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{stored_bytes} in {files}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>config facts only</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{quantization}, else {dtype}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>, {vram_used_bytes} in use</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Search, for example llama</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Recent models, and published facts of well-known ones; type to search</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>&amp;Open folder…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>A folder with config.json and, for exact weights, safetensors files (Ctrl+O)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>A GGUF file, which llama.cpp runs, or a config.json alone (Ctrl+Shift+O)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Search, for example 7900 or 24 GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Type to search by name, gfx target or memory, for example 7900, gfx90a or 24 GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Autograd is a forward pass that records gradients; training adds the backward pass, optimizer excluded</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>&amp;Model</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>&amp;Device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Open a model folder</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Open a model file</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>It was in this machine and is not any more. The forecast stays; passes need it back.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>This machine</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>What if…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>not counted</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>GGUF, types of its own</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>estimated, {low} to {high}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{name} · not there now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{found} models match {text!r}; type more, or pick one</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{found} devices match {text!r}; type more, or pick one</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Recent</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Pool in use at the token cap</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Verdict</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Verdict sentence</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>{free} free</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>{free} short</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>{text} at {token_cap}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>safety margin {margin_bytes} (hatched)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Most helpful: {change}
→ limit {limit_tokens}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>The one change that raises the limit most: {note}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>✓ Fits</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>✕ Does not fit</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>No forecast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Recording</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>What comes next</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>What works now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Command that installs PyTorch</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Progress of the installation</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Cancel</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Cancel the installation</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Dismiss what comes next, for good</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Do not show this again (View → Next step brings it back)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>PyTorch is installed.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>PyTorch is installed; start vramtuner again to use it.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Installing PyTorch: {text}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Cancelled; nothing was installed.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>PyTorch was not installed: {reason}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Copied. Start vramtuner again when it has run.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/canvas.py"></location>
            <source>pool {pool_bytes}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/canvas.py"></location>
            <source>{text}, above this chart ↑</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>Tokens in a request (prompt + new)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>Memory to reserve (GiB)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>Comparison plot</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>pool {pool:.2f} GiB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>SVG picture (*.svg);;PNG picture (*.png);;Values as CSV (*.csv)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>there is no curve here whose values could be taken; choose another tab</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>nothing is drawn yet, so that there are no values</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>{name} is no name for a plot; let it end in {formats}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>{path} cannot be written: {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>Memory in use</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>an unknown part</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>{of} of {total}; the default pool is {pool}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>alert {alert}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>pool {pool}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>GiB in use</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>Busy %</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>Memory and load in the last minute</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>{seconds:.0f} s</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>Left and Right move the token cap by 1 %, with Shift by 10 %; End puts it at the limit.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>{tokens}: peak {peak_bytes}, forecast {error_text} off</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>measured on {source}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>Peak memory (GiB)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>Forecast plot</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>cap {token_cap:,}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>limit {limit:,} →</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>This curve is of the earlier choice.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Press Profile (F5) to run real passes.
What they take is drawn here while they run.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source> refused</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source> out of memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>: {requested_bytes} asked, {free_bytes} free</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Seconds since the run began</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Memory (GiB)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Live memory plot</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>hatched: {total} that stay free for the driver</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>{text}.
The mouse takes whole steps, the arrow keys 64 MiB.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>{pool} of at most {most}; {text}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>the mark below: {free} free now</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/present_menu.py"></location>
            <source>Present</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/present_menu.py"></location>
            <source>Add a step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/present_menu.py"></location>
            <source>Edit script…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Presenter</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Presenting; Esc leaves – vramtuner</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Status</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Caption of the step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Step</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Cannot be shown</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/recent.py"></location>
            <source>&amp;Clear</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/search_box.py"></location>
            <source>{name}, type to search</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Sessions (*{suffix});;All files (*)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>{file}{escaped} on {escaped2}{mark} – vramtuner</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>{name} on {value}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Open &amp;session…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Sa&amp;ve session</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Save session &amp;as…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>&amp;Recent models</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Recent sessio&amp;ns</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Save the session</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Open a session</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>A window ended before its changes were saved: {what}, {when}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>{path} exists already; choose it by its whole name to replace it</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Saving asks for a new file.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>these changes cannot be recovered: {strerror}; perhaps another window has them</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>changes are not kept against a sudden end: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Recover</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Open them here; Undo goes back</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Delete them for good</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/stage.py"></location>
            <source>{name}, was {before}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/stage.py"></location>
            <source>{value}, was {before}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Profile cancelled.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Cancelled; the limit was not confirmed.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Export cancelled; nothing was written.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Cancelled; the tapes that were recorded until then are kept.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Recording the tape of {name} under these levers…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>{name} is not in this machine; choose the CPU stand-in to run passes here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>there is no forecast of these levers yet</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>not even one token fits; lower the memory or raise the pool</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Working out {name} under these levers…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>The tape of these levers is recorded when the {before} have ended.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>passes of a GGUF file need llama.cpp, which is not run here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>{name} is not in this machine any more; bring it back, or choose another device</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>The recording was cancelled. Undo, or move a lever to try again.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Wrote {path}, marked “not validated”.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>tapes of the matrix</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>passes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>no forecast of these levers: {error}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Nothing was written: {verdict}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Validated, and wrote {path}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>validation failed and nothing was written: {problem}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>nothing can be validated: {reason}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/tables.py"></location>
            <source>Copy rows</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/theme.py"></location>
            <source>&amp;Light</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/theme.py"></location>
            <source>&amp;Dark</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>spread of {heights} passes</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>standard error of the calibration</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source> · about {seconds_left:.0f} s left</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>, weights: synthetic</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>held most then:</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>Profile: </source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>Limit: </source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>Validation: </source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{hardware} Presets and GGUF files can be forecast now; your own models and real passes need PyTorch, which is not installed.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Uses the network: downloads {size} into this copy's .venv, as `{command}` does. You can cancel it.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{found}; you plan for a {name}{whence}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Install PyTorch…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Install PyTorch (CPU build)…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>several GB where ROCm is installed, else a few hundred MB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>a few hundred MB</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>the CPU stand-in</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{name} is not in this machine; real passes of {name2} can be run on {here}.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Take {here}</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{gpu} was found.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{gpu} was found</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>No AMD GPU was found</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{found}; passes run on the CPU stand-in.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>The folder of {name} is not there any more; its forecast stays until you open another model.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Open a model folder…</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{hardware} Any card of the list can be planned for.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Choose a card to plan for</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Search the device list by name, gfx target or memory</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{hardware} {name} is a preset of published facts; a folder of your own has exact weights.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>A folder with config.json and safetensors files; a folder or a GGUF file can also be dropped here</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Copy the command</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Paste it into a terminal</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Passes of GGUF files are not run here; what llama.cpp plans for {name} on {name2} can be exported.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Write these levers as an env file (Ctrl+E)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Everything is here: {name}, {device} and PyTorch. Real passes show how right the forecast is.</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Profile (F5)</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source> from the catalogue</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Fo&amp;recast</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>L&amp;ive</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Matrix</source>
            <translation type="unfinished"></translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Plots</source>
            <translation type="unfinished"></translation>
        </message>
    </context>
</TS>
