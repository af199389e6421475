<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
    <context>
        <name>vramtuner</name>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>the allocator grows what it holds; on ROCm 7.0 and later only, with bugs still open there</source>
            <translation>der Allokator vergrößert, was er hält; nur ab ROCm 7.0, mit dort noch offenen Fehlern</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>generate's prefill_chunk_size; the prompt takes longer</source>
            <translation>prefill_chunk_size von generate; der Prompt dauert länger</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>largest pool</source>
            <translation>größter Pool</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>only the driver's {free} stays free</source>
            <translation>nur die {free} des Treibers bleiben frei</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>weights nf4</source>
            <translation>Gewichte nf4</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>4-bit weights; check the answers' quality</source>
            <translation>4-Bit-Gewichte; Qualität der Antworten prüfen</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>weights nf4-dq</source>
            <translation>Gewichte nf4-dq</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>4-bit weights, their scales in 8 bits; check the answers' quality</source>
            <translation>4-Bit-Gewichte, ihre Skalen in 8 Bit; Qualität der Antworten prüfen</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>weights int8</source>
            <translation>Gewichte int8</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>8-bit weights; check the answers' quality</source>
            <translation>8-Bit-Gewichte; Qualität der Antworten prüfen</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>attention auto</source>
            <translation>Attention auto</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>the kernel this device gets by default</source>
            <translation>der Kernel, den dieses Gerät von sich aus bekommt</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>dtype bf16</source>
            <translation>Datentyp bf16</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>half the bytes per value</source>
            <translation>halb so viele Bytes je Wert</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>batch 1</source>
            <translation>Batch 1</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>one request at a time</source>
            <translation>eine Anfrage auf einmal</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>beams 1</source>
            <translation>Beams 1</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>greedy search or sampling</source>
            <translation>Greedy-Suche oder Sampling</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>logits last</source>
            <translation>Logits last</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>what generate keeps</source>
            <translation>was generate behält</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>allocator {expandable}</source>
            <translation>Allokator {expandable}</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>prefill chunk {chunk}</source>
            <translation>Prefill-Chunk {chunk}</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache offloaded</source>
            <translation>KV-Cache ausgelagert</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>keys and values move over the bus for every token; slow</source>
            <translation>Keys und Values wandern für jedes Token über den Bus; langsam</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache fp8</source>
            <translation>KV-Cache fp8</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>8-bit keys and values; check the answers' quality</source>
            <translation>8-Bit-Keys und -Values; Qualität der Antworten prüfen</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache int8</source>
            <translation>KV-Cache int8</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>KV cache int4</source>
            <translation>KV-Cache int4</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>4-bit keys and values; check the answers' quality</source>
            <translation>4-Bit-Keys und -Values; Qualität der Antworten prüfen</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>checkpointing on</source>
            <translation>Checkpointing an</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>activations are computed again in the backward pass</source>
            <translation>Aktivierungen werden im Rückwärtsdurchlauf neu berechnet</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>pass inference</source>
            <translation>Durchlauf inference</translation>
        </message>
        <message>
            <location filename="../../core/advice.py"></location>
            <source>torch.no_grad or torch.inference_mode around the pass</source>
            <translation>torch.no_grad oder torch.inference_mode um den Durchlauf</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>{observations} passes of {model} from {lengths:,} to {lengths2:,} tokens</source>
            <translation>{observations} Durchläufen von {model} mit {lengths:,} bis {lengths2:,} Token</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>{parts}; measured in {where} on {device}, {created}</source>
            <translation>{parts}; gemessen in {where} auf {device}, {created}</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>offset {offset_bytes} ± {offset_error_bytes}</source>
            <translation>Versatz {offset_bytes} ± {offset_error_bytes}</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>slope {slope:+.2%} ± {slope_error:.2%}</source>
            <translation>Steigung {slope:+.2%} ± {slope_error:.2%}</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>the passes scatter by {scatter}, more than {most_scatter:.0%} of the largest; close what else runs on the device and profile again</source>
            <translation>die Durchläufe streuen um {scatter}, mehr als {most_scatter:.0%} des größten; schließen, was sonst auf dem Gerät läuft, und das Profil neu aufnehmen</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>the passes grow {slope:+.0%} as fast as forecast, which is no correction but another pass; check that the kernel which ran is the one that was forecast</source>
            <translation>die Durchläufe wachsen {slope:+.0%} so schnell wie vorhergesagt; das ist keine Korrektur, sondern ein anderer Durchlauf: prüfen, ob der Kernel, der lief, der vorhergesagte ist</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>{lengths} lengths are too few to calibrate; profile {least_lengths} or more</source>
            <translation>{lengths} Längen sind zu wenige für eine Kalibrierung; ein Profil mit mindestens {least_lengths} aufnehmen</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>the passes are too much alike to tell a slope from an offset; profile lengths further apart</source>
            <translation>die Durchläufe sind einander zu ähnlich, um Steigung und Versatz zu trennen; Längen aufnehmen, die weiter auseinander liegen</translation>
        </message>
        <message>
            <location filename="../../core/calibration.py"></location>
            <source>outside torch {outside}</source>
            <translation>außerhalb von torch {outside}</translation>
        </message>
        <message>
            <location filename="../../core/cli/passes.py"></location>
            <source>the file is marked not validated, because passes of this engine are not run here</source>
            <translation>die Datei ist als nicht validiert gekennzeichnet, weil Durchläufe dieser Engine hier nicht ausgeführt werden</translation>
        </message>
        <message>
            <location filename="../../core/cli/passes.py"></location>
            <source>the file is marked not validated; add --validate to prove it</source>
            <translation>die Datei ist als nicht validiert gekennzeichnet; mit --validate wird sie belegt</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>weights</source>
            <translation>Gewichte</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>kv cache</source>
            <translation>KV-Cache</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>logits</source>
            <translation>Logits</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>activations</source>
            <translation>Aktivierungen</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>workspace</source>
            <translation>Arbeitspuffer</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>overhead</source>
            <translation>Overhead</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>positions</source>
            <translation>Positionen</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>recorded range</source>
            <translation>aufgezeichneter Bereich</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>In tensors at {tokens}</source>
            <translation>In Tensoren bei {tokens}</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Limit</source>
            <translation>Limit</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Bound by</source>
            <translation>Begrenzt durch</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Needs at {tokens}</source>
            <translation>Bedarf bei {tokens}</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Peak at {tokens}</source>
            <translation>Spitze bei {tokens}</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Pool</source>
            <translation>Pool</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Figures</source>
            <translation>Zahlen</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>forecast</source>
            <translation>vorhergesagt</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>Seconds for {tokens}</source>
            <translation>Sekunden für {tokens}</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>measured, {created}</source>
            <translation>gemessen, {created}</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>default</source>
            <translation>Standard</translation>
        </message>
        <message>
            <location filename="../../core/comparison.py"></location>
            <source>this plan</source>
            <translation>dieser Plan</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>what llama.cpp plans for such a context: {method}</source>
            <translation>was llama.cpp für einen solchen Kontext einplant: {method}</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>Under {engine} a pool of {pool} has room for {requests} requests of {cap} at a time; longest {limit}.</source>
            <translation>Unter {engine} hat ein Pool von {pool} Platz für {requests} Anfragen zu {cap} zugleich; die längste: {limit}.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>Ollama moves layers to the processor when it counts too little memory; `ollama ps` then says so.</source>
            <translation>Ollama verlegt Schichten auf den Prozessor, wenn es zu wenig Speicher zählt; `ollama ps` zeigt es dann.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>A context that a request or a Modelfile names (num_ctx) wins over the file's.</source>
            <translation>Ein Kontext, den eine Anfrage oder ein Modelfile nennt (num_ctx), geht dem der Datei vor.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>{method}; that Ollama's runner takes the same was not checked</source>
            <translation>{method}; dass Ollamas Runner ebenso viel nimmt, wurde nicht geprüft</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>The share is of the whole card, other programs' memory included: what they hold is taken off the cache.</source>
            <translation>Der Anteil bezieht sich auf die ganze Karte samt dem Speicher anderer Programme: Was sie halten, geht vom Cache ab.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>Under {engine} not even one token fits a pool of {pool}.</source>
            <translation>Unter {engine} passt nicht einmal ein Token in einen Pool von {pool}.</translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/deploy/engines.py"></location>
            <source>Under {engine} {n} requests of {cap} fit a pool of {pool} at a time; the longest is {limit}.</source>
            <translation>
                <numerusform>Unter {engine} passt {n} Anfrage zu {cap} in einen Pool von {pool}; die längste: {limit}.</numerusform>
                <numerusform>Unter {engine} passen {n} Anfragen zu {cap} zugleich in einen Pool von {pool}; die längste: {limit}.</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>{name!r} is no engine; take auto, {engines}</source>
            <translation>{name!r} ist keine Engine; möglich sind auto, {engines}</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>{engine} is planned from a model folder, not a GGUF file; take llama.cpp</source>
            <translation>{engine} wird nach einem Modellordner geplant, nicht nach einer GGUF-Datei; llama.cpp nehmen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>{engine} runs GGUF files; give the .gguf file in place of the folder</source>
            <translation>{engine} führt GGUF-Dateien aus; die .gguf-Datei statt des Ordners angeben</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>Ollama sets its micro-batch itself ({size}); leave the prefill chunk out</source>
            <translation>Ollama bestimmt seinen Micro-Batch selbst ({size}); den Prefill-Chunk weglassen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>weights, a pass of {batched:,} tokens and {request} of cache a request read off transformers' tape with fused attention; the cache is what vLLM leaves for it, less the margin, as its documentation says; it was from 15 % less to 16 % more than in four published starts of Llama-3.1-8B (one on a Radeon, where vLLM took more for itself); captured graphs are not counted</source>
            <translation>Gewichte, ein Durchlauf von {batched:,} Tokens und {request} Cache je Anfrage aus der Aufzeichnung von transformers mit Fused Attention; der Cache ist, was vLLM nach seiner Dokumentation dafür übrig lässt, abzüglich der Reserve; er lag von 15 % unter bis 16 % über vier veröffentlichten Starts von Llama-3.1-8B (einer auf einer Radeon, wo vLLM mehr für sich nahm); aufgezeichnete Graphen sind nicht gezählt</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>vLLM's page of AMD GPUs does not list {gfx}; it may not start there.</source>
            <translation>Die vLLM-Seite über AMD-GPUs führt {gfx} nicht auf; vielleicht startet es dort nicht.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>Layers with a sliding window are counted whole, which is never too little.</source>
            <translation>Schichten mit gleitendem Fenster sind ganz gezählt, was nie zu wenig ist.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>Whether vLLM loads {method} on AMD GPUs is in its table of quantizations.</source>
            <translation>Ob vLLM {method} auf AMD-GPUs lädt, steht in seiner Tabelle der Quantisierungen.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/engines.py"></location>
            <source>this device</source>
            <translation>dieses Gerät</translation>
        </message>
        <message>
            <location filename="../../core/deploy/export.py"></location>
            <source>passes of {name} are not run here; export without validation</source>
            <translation>Durchläufe von {name} werden hier nicht ausgeführt; ohne Validierung exportieren</translation>
        </message>
        <message>
            <location filename="../../core/deploy/export.py"></location>
            <source>{verdict} Lower the token cap or the batch, or raise the pool.</source>
            <translation>{verdict} Token-Grenze oder Batch senken oder den Pool erhöhen.</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>vLLM is planned with the weights as they are in the checkpoint, not {weights}; leave weights at none, or take a checkpoint that is quantized</source>
            <translation>vLLM wird mit den Gewichten des Checkpoints geplant, nicht mit {weights}; Gewichte auf none lassen oder einen quantisierten Checkpoint nehmen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>vLLM has no KV cache of kind {kv_cache}; use auto or fp8</source>
            <translation>vLLM hat keinen KV-Cache der Art {kv_cache}; auto oder fp8 nehmen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>vLLM has attention kernels of its own; leave attention at auto</source>
            <translation>vLLM hat eigene Attention-Kernel; Attention auf auto lassen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>vLLM's server only runs models, without beams; use inference and 1 beam</source>
            <translation>Der Server von vLLM führt Modelle nur aus, ohne Beams; Inferenz und 1 Beam nehmen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>vLLM comes with a PyTorch of its own; leave the allocator's options out</source>
            <translation>vLLM bringt ein eigenes PyTorch mit; die Optionen des Allocators weglassen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>vLLM is planned for a GPU; choose a card of the list</source>
            <translation>vLLM wird für eine GPU geplant; eine Karte der Liste wählen</translation>
        </message>
        <message>
            <location filename="../../core/deploy/vllm.py"></location>
            <source>{name} keeps no KV cache that vLLM could hold in blocks</source>
            <translation>{name} behält keinen KV-Cache, den vLLM in Blöcken halten könnte</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>fused on {gfx} only with {variable}=1 ({source}){newer}</source>
            <translation>fused auf {gfx} nur mit {variable}=1 ({source}){newer}</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>; checked up to torch {table_torch}, not {text}</source>
            <translation>; geprüft bis torch {table_torch}, nicht {text}</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>set in this environment</source>
            <translation>in dieser Umgebung gesetzt</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>not set in this environment</source>
            <translation>in dieser Umgebung nicht gesetzt</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>{gfx} has no fused attention kernel with torch {text} ({source})</source>
            <translation>{gfx} hat mit torch {text} keinen Fused-Attention-Kernel ({source})</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>heads of {head_dim} are over the {head_dim_max} that {gfx}'s fused attention takes</source>
            <translation>Heads von {head_dim} liegen über den {head_dim_max}, die Fused Attention auf {gfx} annimmt</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>{flash_refuses} needs heads of a multiple of {multiple}, not {head_dim} (pytorch sdp_utils.cpp)</source>
            <translation>{flash_refuses} braucht Heads in Vielfachen von {multiple}, nicht {head_dim} (pytorch sdp_utils.cpp)</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>the CPU stand-in has PyTorch's fused CPU kernel</source>
            <translation>der CPU-Ersatz hat den Fused-Kernel von PyTorch für CPUs</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>no fused attention kernel is known for {where} with torch {text}; math is assumed</source>
            <translation>für {where} ist mit torch {text} kein Fused-Attention-Kernel bekannt; math wird angenommen</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>fused attention on {gfx} ({source}){newer}</source>
            <translation>Fused Attention auf {gfx} ({source}){newer}</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>{only_with}; it is not set</source>
            <translation>{only_with}; das ist nicht gesetzt</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>a mask</source>
            <translation>eine Maske</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>no fused kernel takes grouped heads in {flash_refuses} on ROCm (pytorch sdp_utils.cpp)</source>
            <translation>kein Fused-Kernel auf ROCm nimmt gruppierte Heads mit {flash_refuses} (pytorch sdp_utils.cpp)</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>torch {text} has no fused kernel for grouped heads on ROCm (pytorch 135869)</source>
            <translation>torch {text} hat auf ROCm keinen Fused-Kernel für gruppierte Heads (pytorch 135869)</translation>
        </message>
        <message>
            <location filename="../../core/device/attention.py"></location>
            <source>torch version {text!r} cannot be read; give it as 2.13.0</source>
            <translation>die torch-Version {text!r} ist nicht lesbar; als 2.13.0 angeben</translation>
        </message>
        <message>
            <location filename="../../core/device/catalogue.py"></location>
            <source>half of {ram} GiB of RAM, the kernel's default limit for graphics (GTT); raised by ttm.pages_limit</source>
            <translation>die Hälfte von {ram} GiB RAM, die Vorgabe des Kernels für Grafik (GTT); mit ttm.pages_limit erhöhbar</translation>
        </message>
        <message>
            <location filename="../../core/device/catalogue.py"></location>
            <source>catalogue, nominal ({source_spec})</source>
            <translation>Katalog, Nennwert ({source_spec})</translation>
        </message>
        <message>
            <location filename="../../core/device/cuda.py"></location>
            <source>fallback: NVIDIA at {slots} is not listed, since memory is read from AMD's driver only; a CUDA build of torch names such GPUs by its own index, and nothing here was checked on one</source>
            <translation>Notbehelf: NVIDIA an {slots} wird nicht aufgeführt, weil Speicher nur vom Treiber von AMD gelesen wird; ein CUDA-Build von torch nennt solche GPUs nach eigenem Index, und nichts davon wurde hier auf einer geprüft</translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>unknown device {text!r}; give a local index, cpu, or a catalogue name such as {near}</source>
            <translation>unbekanntes Gerät {text!r}; einen lokalen Index, cpu oder einen Namen des Katalogs wie {near} angeben</translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>this machine's RAM; not a GPU</source>
            <translation>der RAM dieses Rechners; keine GPU</translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>there is no GPU {name} here ({gpus} found); give cpu or a catalogue card such as w7900</source>
            <translation>hier gibt es keine GPU {name} ({gpus} gefunden); cpu oder eine Karte des Katalogs wie w7900 angeben</translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>say how much RAM: {sizes}</source>
            <translation>angeben, wie viel RAM: {sizes}</translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>run on it, where it is found by its index</source>
            <translation>dort ausführen, wo sie über ihren Index zu finden ist</translation>
        </message>
        <message>
            <location filename="../../core/device/find.py"></location>
            <source>{label} is an APU, whose memory is its machine's; {ask}</source>
            <translation>{label} ist eine APU, deren Speicher der ihres Rechners ist; {ask}</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>the pool of {pool_bytes} is more than the {free_bytes} free {when}: close {held_by}, or {instead}</source>
            <translation>der Pool von {pool_bytes} ist mehr als die {free_bytes}, die {when} frei sind: {held_by} schließen oder {instead}</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>HIP counts {hip_bytes} free, the driver {driver_bytes}</source>
            <translation>HIP zählt {hip_bytes} frei, der Treiber {driver_bytes}</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>{text}: {less} less by HIP, which keeps some for itself or has seen an allocation first</source>
            <translation>{text}: {less} weniger bei HIP, das etwas für sich behält oder eine Belegung früher gesehen hat</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>lower the pool to {fitting:.2f} GiB</source>
            <translation>den Pool auf {fitting:.2f} GiB senken</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>use another device: the runtime alone takes up to {low}</source>
            <translation>ein anderes Gerät benutzen: allein die Laufzeit braucht bis zu {low}</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>HIP counts {hip_bytes} free, the driver does not count</source>
            <translation>HIP zählt {hip_bytes} frei, der Treiber zählt nicht</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>{text}: the same</source>
            <translation>{text}: gleich</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>{text}: {more} more by HIP, which leaves out what graphics programs hold</source>
            <translation>{text}: {more} mehr bei HIP, das auslässt, was Grafikprogramme halten</translation>
        </message>
        <message>
            <location filename="../../core/device/free.py"></location>
            <source>now</source>
            <translation>jetzt</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>GPU {value}</source>
            <translation>GPU {value}</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>it holds no number</source>
            <translation>darin steht keine Zahl</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} of {device} can be read again</source>
            <translation>{name} von {device} ist wieder lesbar</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} of {device} cannot be read ({reason}), as while a GPU is reset or sleeps: its value is unknown until it can be read again</source>
            <translation>{name} von {device} ist nicht lesbar ({reason}), wie während eines Resets oder Schlafs der GPU: der Wert ist unbekannt, bis er wieder lesbar ist</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} is back; programs that used it before must be started again</source>
            <translation>{name} ist wieder da; Programme, die sie vorher benutzten, müssen neu gestartet werden</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>{name} is not among amdgpu's devices (unbound, removed or reset): its memory is unknown until it is back, and what was in it must be loaded again</source>
            <translation>{name} ist nicht unter den Geräten von amdgpu (gelöst, entfernt oder zurückgesetzt): ihr Speicher ist unbekannt, bis sie wieder da ist, und was darin war, muss neu geladen werden</translation>
        </message>
        <message>
            <location filename="../../core/device/gauges.py"></location>
            <source>no reason given</source>
            <translation>ohne Angabe eines Grundes</translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>other or not visible</source>
            <translation>andere oder nicht sichtbar</translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>pid of the host, name not visible from here</source>
            <translation>PID des Hosts, Name von hier nicht sichtbar</translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>shared buffers, counted above more than once</source>
            <translation>geteilte Puffer, oben mehrfach gezählt</translation>
        </message>
        <message>
            <location filename="../../core/device/holders.py"></location>
            <source>not visible from here</source>
            <translation>von hier nicht sichtbar</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>read from the amdgpu driver</source>
            <translation>vom amdgpu-Treiber gelesen</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>KFD, the compute part of the driver, does not show this GPU, so that HIP does not either</source>
            <translation>KFD, der Rechenteil des Treibers, zeigt diese GPU nicht, also auch HIP nicht</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>KFD, the compute part of the driver, is not loaded: HIP shows no GPU; the gfx target is the catalogue's</source>
            <translation>KFD, der Rechenteil des Treibers, ist nicht geladen: HIP zeigt keine GPU; das gfx-Ziel ist das des Katalogs</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>one of {group} partitions: the driver counts used memory for the whole card only{counted}, so that graphics clients are not counted here</source>
            <translation>eine von {group} Partitionen: der Treiber zählt belegten Speicher nur für die ganze Karte{counted}, sodass Grafikprogramme hier nicht gezählt sind</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>an APU: allocations come from system memory, at most {total} shared with every program, and the {carved} that the BIOS set aside stay unused by ROCm{assumed}</source>
            <translation>eine APU: belegt wird Systemspeicher, höchstens {total}, geteilt mit allen Programmen, und die {carved}, die das BIOS reserviert hat, lässt ROCm ungenutzt{assumed}</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source> ({vram_used} of {whole})</source>
            <translation> ({vram_used} von {whole})</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>the partition's memory, read from KFD</source>
            <translation>der Speicher der Partition, von KFD gelesen</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>an APU: allocations come from the {carved} of RAM that the BIOS set aside for it</source>
            <translation>eine APU: belegt werden die {carved} RAM, die das BIOS für sie reserviert hat</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>; KFD is not there to confirm it</source>
            <translation>; KFD ist nicht da, um das zu bestätigen</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>system memory that the driver lends this APU (GTT)</source>
            <translation>Systemspeicher, den der Treiber dieser APU leiht (GTT)</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>there is no {device}: HIP cannot start here; a container needs the devices /dev/kfd and /dev/dri</source>
            <translation>es gibt kein {device}: HIP kann hier nicht starten; ein Container braucht die Geräte /dev/kfd und /dev/dri</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>{device} may not be opened: HIP cannot start; join the groups render and video and log in again</source>
            <translation>{device} darf nicht geöffnet werden: HIP kann nicht starten; den Gruppen render und video beitreten und neu anmelden</translation>
        </message>
        <message>
            <location filename="../../core/device/inventory.py"></location>
            <source>read from KFD; amdgpu's own files are missing</source>
            <translation>von KFD gelesen; die eigenen Dateien von amdgpu fehlen</translation>
        </message>
        <message>
            <location filename="../../core/device/ram.py"></location>
            <source>{path} cannot be read: used RAM is unknown until it can be read again</source>
            <translation>{path} ist nicht lesbar: belegter RAM ist unbekannt, bis es wieder lesbar ist</translation>
        </message>
        <message>
            <location filename="../../core/device/ram.py"></location>
            <source>{path} can be read again</source>
            <translation>{path} ist wieder lesbar</translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>{name} is not in this machine; sample a local GPU, by its index, or cpu</source>
            <translation>{name} ist nicht in diesem Rechner; eine lokale GPU nach ihrem Index oder cpu messen</translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>a rate of {hz:g} samples a second is not possible; give more than 0 and at most 1000</source>
            <translation>eine Rate von {hz:g} Messungen je Sekunde ist nicht möglich; mehr als 0 und höchstens 1000 angeben</translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>{seconds:g} s of samples cannot be kept; give more than 0 s and at most {most:.0f} s</source>
            <translation>{seconds:g} s Messungen können nicht aufbewahrt werden; mehr als 0 s und höchstens {most:.0f} s angeben</translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>the high-water mark can be read again</source>
            <translation>der Höchststand ist wieder lesbar</translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>a sample was left out ({name}); please report this</source>
            <translation>eine Messung wurde ausgelassen ({name}); bitte melden</translation>
        </message>
        <message>
            <location filename="../../core/device/sampler.py"></location>
            <source>the high-water mark cannot be read ({name}): peaks between samples are not seen until it can be read again</source>
            <translation>der Höchststand ist nicht lesbar ({name}): Spitzen zwischen Messungen bleiben ungesehen, bis er wieder lesbar ist</translation>
        </message>
        <message>
            <location filename="../../core/device/smi.py"></location>
            <source>{source}; what is used was asked of amdsmi, at most a minute ago</source>
            <translation>{source}; was belegt ist, wurde vor höchstens einer Minute von amdsmi erfragt</translation>
        </message>
        <message>
            <location filename="../../core/device/spec.py"></location>
            <source>a pool of {pool} does not fit {name}: of its {vram_bytes} {driver_margin_bytes} must stay free; give at most {max_pool_bytes}</source>
            <translation>ein Pool von {pool} passt nicht auf {name}: von {vram_bytes} müssen {driver_margin_bytes} frei bleiben; höchstens {max_pool_bytes} angeben</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>no AMD GPU is here: the amdgpu driver shows none. If one is built in, see whether lspci lists it and lsmod lists amdgpu; a container must be given /dev/kfd and /dev/dri. Without one, plan for a catalogue card and run passes on the CPU stand-in</source>
            <translation>hier ist keine AMD-GPU: der amdgpu-Treiber zeigt keine. Ist eine eingebaut, prüfen, ob lspci sie und lsmod amdgpu aufführt; ein Container muss /dev/kfd und /dev/dri bekommen. Ohne GPU für eine Karte des Katalogs planen und Durchläufe auf dem CPU-Ersatz ausführen</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>what holds it ({names}{more})</source>
            <translation>was ihn belegt ({names}{more})</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>what holds it (no process that is visible from here)</source>
            <translation>was ihn belegt (kein von hier sichtbarer Prozess)</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>; and {rows} more</source>
            <translation>; und {rows} weitere</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>process {pid} of the host</source>
            <translation>Prozess {pid} des Hosts</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>{name}, process {pid}</source>
            <translation>{name}, Prozess {pid}</translation>
        </message>
        <message>
            <location filename="../../core/device/summary.py"></location>
            <source>programs that take RAM</source>
            <translation>Programme, die RAM belegen</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{setting} shows {shown}, in this order and counted from 0{why}</source>
            <translation>{setting} zeigt {shown}, in dieser Reihenfolge und ab 0 gezählt{why}</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>; the list ends at {ended}</source>
            <translation>; die Liste endet bei {ended}</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{setting} has no GPU to choose from</source>
            <translation>{setting} hat keine GPU zur Auswahl</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{setting} hides every GPU{why}; unset it, or name one as {name}=0</source>
            <translation>{setting} verbirgt jede GPU{why}; löschen oder eine als {name}=0 nennen</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>, counting among what {rocr} left</source>
            <translation>, gezählt unter denen, die {rocr} übrig ließ</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>GPU {before}</source>
            <translation>GPU {before}</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{cuda} is not read, because {hip} is set</source>
            <translation>{cuda} wird nicht gelesen, weil {hip} gesetzt ist</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{hip} is set but empty, which HIP takes for not set; PyTorch may still count no GPU: unset it</source>
            <translation>{hip} ist gesetzt, aber leer, was HIP für nicht gesetzt hält; PyTorch zählt vielleicht trotzdem keine GPU: löschen</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{cuda} is set but empty, which HIP takes for not set; PyTorch may still count no GPU: unset it</source>
            <translation>{cuda} ist gesetzt, aber leer, was HIP für nicht gesetzt hält; PyTorch zählt vielleicht trotzdem keine GPU: löschen</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>an empty entry, which makes ROCr fail to start</source>
            <translation>einem leeren Eintrag, mit dem ROCr nicht startet</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{quoted}, which names no GPU of {uuids}</source>
            <translation>{quoted}, das keine GPU von {uuids} nennt</translation>
        </message>
        <message>
            <location filename="../../core/device/visible.py"></location>
            <source>{quoted}, which names a GPU for the second time</source>
            <translation>{quoted}, das eine GPU zum zweiten Mal nennt</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>KV cache</source>
            <translation>KV-Cache</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>attention N² buffers</source>
            <translation>N²-Puffer</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>allocator slack</source>
            <translation>Verschnitt</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>runtime overhead</source>
            <translation>Laufzeit</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the weights bind</source>
            <translation>begrenzend: die Gewichte</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the KV cache binds</source>
            <translation>begrenzend: der KV-Cache</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the logits bind</source>
            <translation>begrenzend: die Logits</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>activations bind</source>
            <translation>begrenzend: die Aktivierungen</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>attention's buffers bind</source>
            <translation>begrenzend: die Puffer der Attention</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the runtime's own memory binds</source>
            <translation>begrenzend: der Speicher der Laufzeit</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the model has no more positions</source>
            <translation>das Modell hat nicht mehr Positionen</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>the tape speaks for no more</source>
            <translation>die Aufzeichnung reicht nicht weiter</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{name} on {name2}</source>
            <translation>{name} auf {name2}</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} does not fit {cap}: needs {need}, the pool is {pool}. The limit is {limit}; {binds}.</source>
            <translation>{where}: {cap} passen nicht, nötig sind {need}, der Pool hat {pool}. Das Limit ist {limit}; {binds}.</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{binds} in {phase}</source>
            <translation>{binds} ({phase})</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{limit} (the model was made for {max_positions:,})</source>
            <translation>{limit} (das Modell ist für {max_positions:,} gemacht)</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} does not fit at all: {binds}, one token needs {need} and the pool is {pool}.</source>
            <translation>{where} passt gar nicht ({binds}): ein Token braucht {need}, und der Pool hat {pool}.</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} fits {cap}, using {need} of a {pool} pool. The limit is {limit}; {after}.</source>
            <translation>{where}: {cap} passen und brauchen {need} eines Pools von {pool}. Das Limit ist {limit}; {after}.</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{where} takes at most {limit}: {binds}. Lower the token cap.</source>
            <translation>{where} nimmt höchstens {limit}: {binds}. Die Token-Grenze senken.</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{name} has {cap:,} positions; {tokens:,} tokens cannot run</source>
            <translation>{name} hat {cap:,} Positionen; {tokens:,} Token können nicht laufen</translation>
        </message>
        <message>
            <location filename="../../core/forecast.py"></location>
            <source>{binds} next</source>
            <translation>als Nächstes {binds}</translation>
        </message>
        <message>
            <location filename="../../core/hip.py"></location>
            <source>HIP was not asked what is free: no HIP device is here</source>
            <translation>HIP wurde nicht gefragt, was frei ist: hier ist kein HIP-Gerät</translation>
        </message>
        <message>
            <location filename="../../core/hip.py"></location>
            <source>HIP does not say what is free on {key}: {problem}</source>
            <translation>HIP sagt nicht, was auf {key} frei ist: {problem}</translation>
        </message>
        <message>
            <location filename="../../core/hip.py"></location>
            <source>HIP was not asked what is free: {error}</source>
            <translation>HIP wurde nicht gefragt, was frei ist: {error}</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>, all this device can give</source>
            <translation>, alles, was dieses Gerät geben kann</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>, checkpointing (no effect on inference)</source>
            <translation>, Checkpointing (bei Inferenz ohne Wirkung)</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Source article</source>
            <translation>Ursprungsartikel</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>A pool of {pool}{given}, {article_token_cap:,} tokens{kept}</source>
            <translation>Ein Pool von {pool}{given}, {article_token_cap:,} Token{kept}</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Max context</source>
            <translation>Größter Kontext</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>All {cap:,} positions, the largest pool, {costs}</source>
            <translation>Alle {cap:,} Positionen, der größte Pool, {costs}</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Lowest memory</source>
            <translation>Kleinster Speicher</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>The same cap, one request at a time, {costs}</source>
            <translation>Dieselbe Grenze, eine Anfrage auf einmal, {costs}</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>4-bit weights</source>
            <translation>4-Bit-Gewichte</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>activations computed again</source>
            <translation>neu berechnete Aktivierungen</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>nothing else that would help</source>
            <translation>sonst nichts, was helfen würde</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>Defaults</source>
            <translation>Standardwerte</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>80 % of the memory as the pool ({default_pool_bytes}), nothing else changed</source>
            <translation>80 % des Speichers als Pool ({default_pool_bytes}), sonst nichts geändert</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>a 4-bit cache</source>
            <translation>ein 4-Bit-Cache</translation>
        </message>
        <message>
            <location filename="../../core/lever_presets.py"></location>
            <source>the cache in RAM (slow)</source>
            <translation>der Cache im RAM (langsam)</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Token cap</source>
            <translation>Token-Grenze</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>New tokens</source>
            <translation>Neue Token</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Batch</source>
            <translation>Batch</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Beams</source>
            <translation>Beams</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Weights</source>
            <translation>Gewichte</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Keep modules</source>
            <translation>Module behalten</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Attention</source>
            <translation>Attention</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Checkpointing</source>
            <translation>Checkpointing</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Pass kind</source>
            <translation>Durchlauf</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Prefill chunk</source>
            <translation>Prefill-Chunk</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Data type</source>
            <translation>Datentyp</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Logits</source>
            <translation>Logits</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Allocator</source>
            <translation>Allokator</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>Safety margin</source>
            <translation>Sicherheitsreserve</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>KV cache auto</source>
            <translation>KV-Cache auto</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>static KV cache</source>
            <translation>statischer KV-Cache</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>offloaded KV cache</source>
            <translation>ausgelagerter KV-Cache</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>8-bit KV cache (fp8)</source>
            <translation>8-Bit-KV-Cache (fp8)</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>8-bit KV cache (int8)</source>
            <translation>8-Bit-KV-Cache (int8)</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>4-bit KV cache (int4)</source>
            <translation>4-Bit-KV-Cache (int4)</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>inference</source>
            <translation>Inferenz</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>a forward pass that records gradients</source>
            <translation>ein Vorwärtsdurchlauf, der Gradienten aufzeichnet</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>a training step</source>
            <translation>ein Trainingsschritt</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>autograd</source>
            <translation>Autograd</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>training</source>
            <translation>Training</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>logits of the last token</source>
            <translation>Logits des letzten Tokens</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>logits of every token</source>
            <translation>Logits jedes Tokens</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>on</source>
            <translation>an</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>off</source>
            <translation>aus</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>batch {value:,}</source>
            <translation>Batch {value:,}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>safety margin {percent}</source>
            <translation>Sicherheitsreserve {percent}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>all prompt</source>
            <translation>nur Prompt</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>whole prompt</source>
            <translation>ganzer Prompt</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>as usual</source>
            <translation>wie üblich</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>pool {value}</source>
            <translation>Pool {value}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>default pool</source>
            <translation>Standard-Pool</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>token cap {value:,}</source>
            <translation>Token-Grenze {value:,}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>default token cap</source>
            <translation>Standard-Token-Grenze</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} of them new</source>
            <translation>davon {value} neu</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} beams</source>
            <translation>{value} Beams</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>no beams</source>
            <translation>keine Beams</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>weights as stored</source>
            <translation>Gewichte wie gespeichert</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{weight_bits}-bit weights ({value})</source>
            <translation>{weight_bits}-Bit-Gewichte ({value})</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>unquantized: {value}</source>
            <translation>nicht quantisiert: {value}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>unquantized: as usual</source>
            <translation>nicht quantisiert: wie üblich</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>the device's own attention kernel</source>
            <translation>der eigene Attention-Kernel des Geräts</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} attention</source>
            <translation>Attention {value}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>checkpointing off</source>
            <translation>Checkpointing aus</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>prompt in chunks of {value:,}</source>
            <translation>Prompt in Chunks von {value:,}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>prompt at once</source>
            <translation>Prompt auf einmal</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>the checkpoint's data type</source>
            <translation>der Datentyp des Checkpoints</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>allocator {value}</source>
            <translation>Allokator {value}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>default allocator</source>
            <translation>Standard-Allokator</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>as stored</source>
            <translation>wie gespeichert</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source> (auto)</source>
            <translation> (auto)</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>last token</source>
            <translation>letztes Token</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>every token</source>
            <translation>jedes Token</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>{value} KV cache</source>
            <translation>KV-Cache {value}</translation>
        </message>
        <message>
            <location filename="../../core/lever_words.py"></location>
            <source>logits {value}</source>
            <translation>Logits {value}</translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>each limit is the largest request that fits the pool with its margin, exact to the token on the recorded memory of the model's own operations; overhead and allocator slack of GPUs are estimates, not yet verified on a GPU</source>
            <translation>jedes Limit ist die größte Anfrage, die mit ihrer Reserve in den Pool passt, auf das Token genau anhand des aufgezeichneten Speichers der eigenen Operationen des Modells; Overhead und Verschnitt des Allokators von GPUs sind Schätzungen, noch nicht auf einer GPU überprüft</translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>not recorded yet</source>
            <translation>noch nicht aufgezeichnet</translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>tape {place} of {count}, {name}: {stage}</source>
            <translation>Aufzeichnung {place} von {count}, {name}: {stage}</translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>a matrix of {count:,} cells: name models and devices for 1 to {most_cells:,} of them</source>
            <translation>eine Matrix mit {count:,} Zellen: Modelle und Geräte für 1 bis {most_cells:,} davon nennen</translation>
        </message>
        <message>
            <location filename="../../core/matrix.py"></location>
            <source>a worker process of the matrix died, perhaps for want of memory; try --jobs 1</source>
            <translation>ein Arbeitsprozess der Matrix ist gestorben, vielleicht aus Mangel an Speicher; --jobs 1 versuchen</translation>
        </message>
        <message>
            <location filename="../../core/matrix_files.py"></location>
            <source>{name} has none of the suffixes {writers}; choose one of them</source>
            <translation>{name} hat keine der Endungen {writers}; eine davon wählen</translation>
        </message>
        <message>
            <location filename="../../core/matrix_files.py"></location>
            <source>{path} is a folder; name a file in it</source>
            <translation>{path} ist ein Ordner; eine Datei darin nennen</translation>
        </message>
        <message>
            <location filename="../../core/matrix_files.py"></location>
            <source>there is no folder {parent}; create it or choose another</source>
            <translation>es gibt keinen Ordner {parent}; ihn anlegen oder einen anderen wählen</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the weights</source>
            <translation>die Gewichte</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the KV cache</source>
            <translation>den KV-Cache</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the logits</source>
            <translation>die Logits</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the activations</source>
            <translation>die Aktivierungen</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>attention's buffers</source>
            <translation>die Puffer der Attention</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the runtime's own memory</source>
            <translation>den Speicher der Laufzeit</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the model's positions</source>
            <translation>die Positionen des Modells</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>the range of the tape</source>
            <translation>den Bereich der Aufzeichnung</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>does not fit</source>
            <translation>passt nicht</translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/matrix_text.py"></location>
            <source>{n:,} tokens need {needed} of a {pool} pool</source>
            <translation>
                <numerusform>{n:,} Token braucht {needed} eines Pools von {pool}</numerusform>
                <numerusform>{n:,} Token brauchen {needed} eines Pools von {pool}</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{where}: at most {limit_tokens}{beyond}, bound by {binds_text}; {needs}.</source>
            <translation>{where}: höchstens {limit_tokens}{beyond}, begrenzt durch {binds_text}; {needs}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>vramtuner {version}, {created}{tapes}. Method: {method}.</source>
            <translation>vramtuner {version}, {created}{tapes}. Methode: {method}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{where}: no forecast, {reason}.</source>
            <translation>{where}: keine Prognose, {reason}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{where} does not fit at all, bound by {binds_text}; {needs}.</source>
            <translation>{where} passt gar nicht, begrenzt durch {binds_text}; {needs}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source> (made for {max_positions:,})</source>
            <translation> (gemacht für {max_positions:,})</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Memory of {names}: {source}.</source>
            <translation>Speicher von {names}: {source}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>, tapes recorded with {tape_versions}</source>
            <translation>, Aufzeichnungen mit {tape_versions}</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Limits are tokens of a request, prompt and new ones together; a dash is a cell without a forecast.</source>
            <translation>Limits sind Token einer Anfrage, Prompt und neue zusammen; ein Strich ist eine Zelle ohne Prognose.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source> under {name}</source>
            <translation> unter {name}</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>A limit above what a model was made for fits the memory, but the text may degrade.</source>
            <translation>Ein Limit über dem, wofür ein Modell gemacht ist, passt in den Speicher, aber der Text kann schlechter werden.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Peaks are without the safety margin; a star marks requests that do not fit the pool with it.</source>
            <translation>Spitzen sind ohne die Sicherheitsreserve; ein Stern kennzeichnet Anfragen, die mit ihr nicht in den Pool passen.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>every device</source>
            <translation>jedes Gerät</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>every model</source>
            <translation>jedes Modell</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>No forecast{under} of {which}: {text}.</source>
            <translation>Keine Prognose{under} von {which}: {text}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>With other levers, which they can take, {which}: {text}.</source>
            <translation>Mit anderen Hebeln, die sie annehmen, {which}: {text}.</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Made for</source>
            <translation>Gemacht für</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Token limits: {variant_title}</source>
            <translation>Token-Limits: {variant_title}</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>{who} on {where}</source>
            <translation>{who} auf {where}</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Tokens</source>
            <translation>Token</translation>
        </message>
        <message>
            <location filename="../../core/matrix_text.py"></location>
            <source>Peak memory on {name}: {variant_title}</source>
            <translation>Spitzenspeicher auf {name}: {variant_title}</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>no model at {text!r}; give a folder with config.json, a .gguf file, or a preset: {presets}</source>
            <translation>kein Modell in {text!r}; einen Ordner mit config.json, eine .gguf-Datei oder eine Vorlage angeben: {presets}</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>preset {name} ({source})</source>
            <translation>Vorlage {name} ({source})</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{text} is neither a model folder, a config.json nor a .gguf file</source>
            <translation>{text} ist weder ein Modellordner noch eine config.json noch eine .gguf-Datei</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is nested deeper than any real config.json</source>
            <translation>{label} ist tiefer verschachtelt als jede echte config.json</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{source} describes an already quantized checkpoint ({quantization}), whose bytes only its files tell; model.safetensors is missing: choose the folder of the whole checkpoint</source>
            <translation>{source} beschreibt einen schon quantisierten Checkpoint ({quantization}), dessen Bytes nur seine Dateien sagen; model.safetensors fehlt: den Ordner des ganzen Checkpoints wählen</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{text!r} cannot be looked at: {strerror}</source>
            <translation>{text!r} kann nicht angesehen werden: {strerror}</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{text!r} cannot be looked at: {error}</source>
            <translation>{text!r} kann nicht angesehen werden: {error}</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is not a file</source>
            <translation>{label} ist keine Datei</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is larger than any real config.json</source>
            <translation>{label} ist größer als jede echte config.json</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{parent} has no config.json; choose the folder that holds the model</source>
            <translation>{parent} hat keine config.json; den Ordner wählen, der das Modell enthält</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} cannot be read: {strerror}</source>
            <translation>{label} ist nicht lesbar: {strerror}</translation>
        </message>
        <message>
            <location filename="../../core/model/find.py"></location>
            <source>{label} is not a JSON object ({error})</source>
            <translation>{label} ist kein JSON-Objekt ({error})</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{name}: there is no part {number:,} of {count:,}; give the file as published</source>
            <translation>{name}: es gibt keinen Teil {number:,} von {count:,}; die Datei angeben, wie sie veröffentlicht ist</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{missing} is missing ({missing2:,} of {count:,} parts); download all parts into one folder</source>
            <translation>{missing} fehlt ({missing2:,} von {count:,} Teilen); alle Teile in einen Ordner laden</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: the parts hold {held:,} tensors of {told:,}; download the model again</source>
            <translation>{label}: die Teile enthalten {held:,} von {told:,} Tensoren; das Modell neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: {what}; download it again</source>
            <translation>{label} ist beschädigt: {what}; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is not a GGUF file; its first bytes are not GGUF</source>
            <translation>{label} ist keine GGUF-Datei; ihre ersten Bytes sind nicht GGUF</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} ends in its first 24 bytes; download it again</source>
            <translation>{label} endet in den ersten 24 Bytes; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is a big-endian GGUF, which llama.cpp reads on no GPU host; convert it</source>
            <translation>{label} ist ein Big-Endian-GGUF, das llama.cpp auf keinem GPU-Rechner liest; umwandeln</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is GGUF version {version:,}; versions 2 and 3 can be read</source>
            <translation>{label} ist GGUF-Version {version:,}; lesbar sind die Versionen 2 und 3</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a key</source>
            <translation>ein Schlüssel</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>key {key!r} has a value of unknown type {kind:,}</source>
            <translation>Schlüssel {key!r} hat einen Wert von unbekanntem Typ {kind:,}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>key {key!r} is a list of unknown type {kind:,}</source>
            <translation>Schlüssel {key!r} ist eine Liste von unbekanntem Typ {kind:,}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{key!r} lists {count:,} layers</source>
            <translation>{key!r} führt {count:,} Schichten auf</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>its alignment is not a power of two</source>
            <translation>die Ausrichtung ist keine Zweierpotenz</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a tensor's name</source>
            <translation>der Name eines Tensors</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is truncated: {short:,} bytes of its tensors are missing; download it again</source>
            <translation>{label} ist abgeschnitten: {short:,} Bytes der Tensoren fehlen; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} has {dimensions:,} dimensions</source>
            <translation>Tensor {name!r} hat {dimensions:,} Dimensionen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: tensor {name!r} is of the unknown type {kind:,}; a newer gguf package may know it</source>
            <translation>{label}: Tensor {name!r} hat den unbekannten Typ {kind:,}; ein neueres gguf-Paket kennt ihn vielleicht</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} has rows that are not whole blocks, or too many</source>
            <translation>Tensor {name!r} hat Zeilen, die keine ganzen Blöcke sind, oder zu viele</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} names no architecture; it is not a model of llama.cpp</source>
            <translation>{label} nennt keine Architektur; das ist kein Modell von llama.cpp</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is not a language model but goes with one; give the model's own file</source>
            <translation>{label} ist kein Sprachmodell, sondern gehört zu einem; die Datei des Modells selbst angeben</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} holds no tensor, only a vocabulary; give the model's own file</source>
            <translation>{label} enthält keinen Tensor, nur ein Vokabular; die Datei des Modells selbst angeben</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: {key} is {value}; download it again</source>
            <translation>{label} ist beschädigt: {key} ist {value}; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: it claims {layers:,} layers; download it again</source>
            <translation>{label} ist beschädigt: angegeben sind {layers:,} Schichten; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: two parts hold the same tensor; download the model again</source>
            <translation>{label}: zwei Teile enthalten denselben Tensor; das Modell neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{name} cannot be looked at: {strerror}</source>
            <translation>{name} kann nicht angesehen werden: {strerror}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: its part numbers are not numbers; download it again</source>
            <translation>{label} ist beschädigt: die Nummern der Teile sind keine Zahlen; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} says that it is one of {count:,} parts, and {parts:,} are there; keep the names as published, NAME-00001-of-0000N.gguf</source>
            <translation>{label} sagt, einer von {count:,} Teilen zu sein, und {parts:,} sind da; die Namen lassen, wie sie veröffentlicht sind, NAME-00001-of-0000N.gguf</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label}: the parts are not in the order of their names; download the model again</source>
            <translation>{label}: die Teile sind nicht in der Reihenfolge ihrer Namen; das Modell neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>no GGUF file at {path}</source>
            <translation>keine GGUF-Datei in {path}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} cannot be looked at: {error}</source>
            <translation>{label} kann nicht angesehen werden: {error}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is truncated or damaged: it ends in its header; download it again</source>
            <translation>{label} ist abgeschnitten oder beschädigt: die Datei endet in ihrem Kopf; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} became shorter while it was read</source>
            <translation>{label} wurde beim Lesen kürzer</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>it claims {count:,} {what}</source>
            <translation>angegeben sind {count:,} {what}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{what} of {length:,} bytes</source>
            <translation>{what} von {length:,} Bytes</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a list of {count:,} strings</source>
            <translation>eine Liste von {count:,} Texten</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>key {key!r} is there twice</source>
            <translation>Schlüssel {key!r} ist zweimal da</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>a value of {key!r}</source>
            <translation>ein Wert von {key!r}</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} is there twice</source>
            <translation>Tensor {name!r} ist zweimal da</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>tensor {name!r} does not begin where the one before it ends</source>
            <translation>Tensor {name!r} beginnt nicht, wo der vorige endet</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} does not say its {name}; it is not a language model of llama.cpp</source>
            <translation>{label} nennt nicht: {name}; das ist kein Sprachmodell von llama.cpp</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{label} is damaged: {name} lists {value:,} layers of {layers:,}; download it again</source>
            <translation>{label} ist beschädigt: {name} führt {value:,} von {layers:,} Schichten auf; neu herunterladen</translation>
        </message>
        <message>
            <location filename="../../core/model/gguf.py"></location>
            <source>{what} that is not text</source>
            <translation>{what}, das kein Text ist</translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{name} is {shown}; it must be a whole number from {least} to {most:,}</source>
            <translation>{name} ist {shown}; nötig ist eine ganze Zahl von {least} bis {most:,}</translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{name} names {value:,} layers; no model has more than {max_layers:,}</source>
            <translation>{name} nennt {value:,} Schichten; kein Modell hat mehr als {max_layers:,}</translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>a list</source>
            <translation>eine Liste</translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>an object</source>
            <translation>ein Objekt</translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{source}: {problem}; copy its config.json again</source>
            <translation>{source}: {problem}; die config.json neu kopieren</translation>
        </message>
        <message>
            <location filename="../../core/model/sizes.py"></location>
            <source>{source}: {name} is {shown}; it must name a dtype, such as bfloat16</source>
            <translation>{source}: {name} ist {shown}; nötig ist ein Datentyp wie bfloat16</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>, which leaving them out of a text_config usually means</source>
            <translation>, was meist vom Auslassen in einer text_config kommt</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>{where} names no {names}: sizes are transformers' defaults for {model_type}{why}.</source>
            <translation>{where} nennt nicht {names}: die Größen sind die Vorgaben von transformers für {model_type}{why}.</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>{source} describes an already quantized checkpoint and names no quant_method; copy its config.json again</source>
            <translation>{source} beschreibt einen schon quantisierten Checkpoint und nennt keine quant_method; die config.json neu kopieren</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>The text_config of {source}</source>
            <translation>Die text_config von {source}</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>This is the text model inside a larger one ({kinds}); images and sound are not counted.</source>
            <translation>Das ist das Textmodell in einem größeren ({kinds}); Bilder und Töne sind nicht gezählt.</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>{source} names no model_type; it is not the config of a transformers model</source>
            <translation>{source} nennt keinen model_type; das ist nicht die Konfiguration eines transformers-Modells</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>unknown model_type {model_type!r} in {source}: transformers has no causal language model of it</source>
            <translation>unbekannter model_type {model_type!r} in {source}: transformers hat kein kausales Sprachmodell dieses Typs</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>The folder carries its own code (auto_map); it is ignored and the built-in class is used.</source>
            <translation>Der Ordner bringt eigenen Code mit (auto_map); er wird ignoriert und die eingebaute Klasse benutzt.</translation>
        </message>
        <message>
            <location filename="../../core/model/spec.py"></location>
            <source>model_type {model_type!r} needs code from the model's own folder (auto_map), which is never run here; use a checkpoint converted to a built-in transformers class</source>
            <translation>model_type {model_type!r} braucht Code aus dem Ordner des Modells (auto_map), der hier nie ausgeführt wird; einen Checkpoint benutzen, der in eine eingebaute transformers-Klasse umgewandelt ist</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>the safetensors files of {name} hold no tensor</source>
            <translation>die safetensors-Dateien von {name} enthalten keinen Tensor</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{index} is larger than any real index</source>
            <translation>{index} ist größer als jedes echte Verzeichnis</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{label} is a broken link or not a regular file; copy the whole checkpoint</source>
            <translation>{label} ist ein gebrochener Link oder keine gewöhnliche Datei; den ganzen Checkpoint kopieren</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{label} has a header of {header:,} bytes, which is larger than any real one</source>
            <translation>{label} hat einen Kopf von {header:,} Bytes, größer als jeder echte</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{name} holds only pickled weights, which can run code when loaded; convert them to safetensors</source>
            <translation>{name} enthält nur Pickle-Gewichte, die beim Laden Code ausführen können; in safetensors umwandeln</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{index} is not a safetensors index</source>
            <translation>{index} ist kein safetensors-Verzeichnis</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{index} names a shard outside its folder: {shard!r}</source>
            <translation>{index} nennt ein Teil außerhalb seines Ordners: {shard!r}</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{shard} is missing from {name}; copy the whole checkpoint</source>
            <translation>{shard} fehlt in {name}; den ganzen Checkpoint kopieren</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{label} is truncated or damaged ({error}); copy the file again</source>
            <translation>{label} ist abgeschnitten oder beschädigt ({error}); die Datei neu kopieren</translation>
        </message>
        <message>
            <location filename="../../core/model/weights.py"></location>
            <source>{name} holds tensors of an unknown type {dtype!r}</source>
            <translation>{name} enthält Tensoren von unbekanntem Typ {dtype!r}</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>ok</source>
            <translation>ok</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>out of memory</source>
            <translation>Speicher voll</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>refused</source>
            <translation>abgelehnt</translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/profiling.py"></location>
            <source>{n} real passes</source>
            <translation>
                <numerusform>{n} echten Durchlauf</numerusform>
                <numerusform>{n} echte Durchläufe</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/profiling.py"></location>
            <source>{n:,} tokens run in {pool}</source>
            <translation>
                <numerusform>{n:,} Token läuft in {pool}</numerusform>
                <numerusform>{n:,} Token laufen in {pool}</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>Not confirmed: {found} ({count}); the forecast is {forecast_tokens:,}.</source>
            <translation>Nicht bestätigt: {found} ({count}); vorhergesagt sind {forecast_tokens:,}.</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>a {kv_cache} KV cache</source>
            <translation>einem KV-Cache {kv_cache}</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>a prompt in chunks</source>
            <translation>einem Prompt in Chunks</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>passes with {what} take less than forecast at most lengths, so that they cannot calibrate; profile without it, and the calibration then speaks for it too</source>
            <translation>Durchläufe mit {what} brauchen bei den meisten Längen weniger als vorhergesagt und können darum nicht kalibrieren; ein Profil ohne das aufnehmen, dessen Kalibrierung dann auch dafür gilt</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>Confirmed by {count}: {found}, and no more can be asked.</source>
            <translation>Bestätigt durch {count}: {found}, und mehr kann nicht verlangt werden.</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>Confirmed by {count}: {found}, {fails_tokens:,} do not.</source>
            <translation>Bestätigt durch {count}: {found}, {fails_tokens:,} nicht.</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source>, and more may</source>
            <translation>, und vielleicht mehr</translation>
        </message>
        <message>
            <location filename="../../core/profiling.py"></location>
            <source> and {fails_tokens:,} do not</source>
            <translation> und {fails_tokens:,} nicht</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Checkpointing changes nothing in an inference pass: it drops activations that autograd would keep, and nothing is kept when autograd does not record.</source>
            <translation>Checkpointing ändert in einem Inferenz-Durchlauf nichts: es verwirft Aktivierungen, die Autograd behalten würde, und ohne Autograd wird nichts behalten.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Checkpointing changes nothing in a forward pass of a model in evaluation mode, with autograd on as without: transformers checkpoints in training mode only.</source>
            <translation>Checkpointing ändert in einem Vorwärtsdurchlauf eines Modells im Evaluierungsmodus nichts, mit Autograd wie ohne: transformers benutzt Checkpoints nur im Trainingsmodus.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>tape recorded with {versions} on CPU kernels; held-out check at {held_out} tokens: {residual_bytes} off</source>
            <translation>aufgezeichnet mit {versions} auf CPU-Kernels; Gegenprobe bei {held_out} Token: {residual_bytes} daneben</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{text}; tokens are padded to multiples of {granule:,}, and the most is counted that is padded as far</source>
            <translation>{text}; Token werden auf Vielfache von {granule:,} aufgefüllt, und gezählt ist das Meiste, das so weit aufgefüllt wird</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{cap:,} tokens are beyond the {max_positions:,} positions of {name}</source>
            <translation>{cap:,} Token liegen jenseits der {max_positions:,} Positionen von {name}</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>what holds it (see `vramtuner devices`)</source>
            <translation>was ihn belegt (siehe `vramtuner devices`)</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>when it was looked at</source>
            <translation>beim Nachsehen</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>a whole chunk is counted where the prompt's last one is shorter</source>
            <translation>gezählt ist ein ganzer Chunk, wo der letzte des Prompts kürzer ist</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>not yet verified on a GPU</source>
            <translation>noch nicht auf einer GPU überprüft</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>calibrated: {text}</source>
            <translation>kalibriert: {text}</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Gradients are counted with the activations; the optimizer's own memory is not counted.</source>
            <translation>Gradienten sind bei den Aktivierungen gezählt; der Speicher des Optimierers ist nicht gezählt.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>The tape is off by {residual} at the length held out to check it.</source>
            <translation>Die Aufzeichnung liegt bei der Länge der Gegenprobe um {residual} daneben.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Attention: flash is {note}. PyTorch then runs math silently, which takes more than this.</source>
            <translation>Attention: flash ist {note}. PyTorch führt dann stillschweigend math aus, was mehr braucht als hier.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>Attention: {note}; the env file sets it.</source>
            <translation>Attention: {note}; die Env-Datei setzt es.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>overhead estimated, {low} to {high}, the larger taken</source>
            <translation>Overhead geschätzt, {low} bis {high}, der größere genommen</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>GPU correction: softmax reads fp16 scores without a 32-bit copy (ATen SoftMax; not verified on a GPU)</source>
            <translation>GPU-Korrektur: Softmax liest fp16-Scores ohne 32-Bit-Kopie (ATen SoftMax; nicht auf einer GPU überprüft)</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>allocator: estimated, the tape replayed through a model of PyTorch's caching allocator</source>
            <translation>Allokator: geschätzt, die Aufzeichnung durch ein Modell des Caching-Allokators von PyTorch abgespielt</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{beyond}; its position table ends there and longer requests fail.</source>
            <translation>{beyond}; dort endet die Positionstabelle, und längere Anfragen schlagen fehl.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>{beyond}; the pass runs, but the text may degrade.</source>
            <translation>{beyond}; der Durchlauf geht, aber der Text kann schlechter werden.</translation>
        </message>
        <message>
            <location filename="../../core/provenance.py"></location>
            <source>The files hold {stored} of weights in {dtype}, the config explains {recorded}: the folder may hold parts of another model, or not all of this one.</source>
            <translation>Die Dateien enthalten {stored} Gewichte in {dtype}, die Konfiguration erklärt {recorded}: der Ordner enthält vielleicht Teile eines anderen Modells oder nicht alle von diesem.</translation>
        </message>
        <message>
            <location filename="../../core/recording.py"></location>
            <source>the probe finished without a tape</source>
            <translation>der Messprozess endete ohne Aufzeichnung</translation>
        </message>
        <message>
            <location filename="../../core/remedy.py"></location>
            <source>This plan predicts {peak} at {tokens}; its pool is {pool} and its limit {limit}.</source>
            <translation>Dieser Plan sagt {peak} bei {tokens} voraus; sein Pool hat {pool}, sein Limit ist {limit}.</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>prefill</source>
            <translation>Prefill</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the prompt's later chunks</source>
            <translation>spätere Chunks des Prompts</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>decode</source>
            <translation>Decode</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the forward pass</source>
            <translation>Vorwärtsdurchlauf</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the training step</source>
            <translation>Trainingsschritt</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>the request</source>
            <translation>Anfrage</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>asked for; by default, {note}</source>
            <translation>verlangt; sonst {note}</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>{later:,} new tokens leave no prompt in a token cap of {cap:,}; lower them, or raise it</source>
            <translation>{later:,} neue Token lassen in einer Token-Grenze von {cap:,} keinen Prompt; sie senken oder die Grenze erhöhen</translation>
        </message>
        <message>
            <location filename="../../core/request.py"></location>
            <source>llama.cpp has flash attention of its own; any other kernel here is without it</source>
            <translation>llama.cpp hat eine eigene Flash-Attention; jeder andere Kernel ist hier ohne sie</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>the run is no longer kept in {path}: {value}</source>
            <translation>der Lauf wird nicht mehr in {path} aufbewahrt: {value}</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} is not the file of a run; runs are kept in {runs_folder}</source>
            <translation>{path} ist nicht die Datei eines Laufs; Läufe liegen in {runs_folder}</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} is a run of format {format}; this release reads format {format_version}</source>
            <translation>{path} ist ein Lauf im Format {format}; diese Version liest Format {format_version}</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} is not the file of a run: it has numbers that nothing can have</source>
            <translation>{path} ist nicht die Datei eines Laufs: darin stehen Zahlen, die nichts haben kann</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>Parquet needs the library pyarrow: pip install 'vramtuner[parquet]', or use CSV</source>
            <translation>Parquet braucht die Bibliothek pyarrow: pip install 'vramtuner[parquet]', oder CSV benutzen</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>the run cannot be kept in {path}: {value}</source>
            <translation>der Lauf kann nicht in {path} aufbewahrt werden: {value}</translation>
        </message>
        <message>
            <location filename="../../core/runs.py"></location>
            <source>{path} cannot be read as a run: {value}</source>
            <translation>{path} ist nicht als Lauf lesbar: {value}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>How the limit moves</source>
            <translation>Wie sich das Limit bewegt</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>limit {tokens:,} → {limit}</source>
            <translation>Limit {tokens:,} → {limit}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>nothing changed</source>
            <translation>nichts geändert</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>not even one token fits</source>
            <translation>nicht einmal ein Token passt</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>limit {limit}</source>
            <translation>Limit {limit}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>the limit stays at {limit}</source>
            <translation>das Limit bleibt bei {limit}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>there is no step {place}; the script has {steps}</source>
            <translation>es gibt keinen Schritt {place}; das Skript hat {steps}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>caption</source>
            <translation>Beschriftung</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>a script has at most {max_steps} steps; delete some to add others</source>
            <translation>ein Skript hat höchstens {max_steps} Schritte; welche löschen, um andere hinzuzufügen</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>{model} on {device}</source>
            <translation>{model} auf {device}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>the {what} of a step must have at most {most} letters, not {text:,}</source>
            <translation>Schritt, {what}: höchstens {most} Zeichen, nicht {text:,}</translation>
        </message>
        <message>
            <location filename="../../core/script.py"></location>
            <source>the {what} of a step must be one line of text without control characters</source>
            <translation>Schritt, {what}: nötig ist eine Zeile Text ohne Steuerzeichen</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>choose a file that was saved with Save session</source>
            <translation>eine Datei wählen, die mit „Sitzung speichern“ entstand</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session's device cannot be found: {reason}</source>
            <translation>das Gerät der Sitzung ist nicht zu finden: {reason}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session is larger than {max_bytes:,} bytes; take plans or steps out of it</source>
            <translation>die Sitzung ist größer als {max_bytes:,} Bytes; Pläne oder Schritte herausnehmen</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is a session of format {number}, from a later release than this one, which reads format {format_version}; update vramtuner to open it</source>
            <translation>{label} ist eine Sitzung im Format {number} aus einer späteren Version; diese liest Format {format_version}: vramtuner aktualisieren, um sie zu öffnen</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is not a session file: there is no format {number}; {not_a_session}</source>
            <translation>{label} ist keine Sitzungsdatei: es gibt kein Format {number}; {not_a_session}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is not a file; {not_a_session}</source>
            <translation>{label} ist keine Datei; {not_a_session}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is larger than any session file; {not_a_session}</source>
            <translation>{label} ist größer als jede Sitzungsdatei; {not_a_session}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{model} has changed since the session was saved; figures are of the model as it is</source>
            <translation>{model} hat sich seit dem Speichern der Sitzung geändert; die Zahlen gelten für das Modell, wie es ist</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{shown} is not in this machine; the plan is for the card of that name in the catalogue</source>
            <translation>{shown} ist nicht in diesem Rechner; der Plan gilt der Karte dieses Namens im Katalog</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{shown} is not in this machine; GPU {key} is {name} now</source>
            <translation>{shown} ist nicht in diesem Rechner; GPU {key} ist jetzt {name}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session cannot be saved: the path of its model is no text ({model}); rename the folder</source>
            <translation>die Sitzung kann nicht gespeichert werden: der Pfad ihres Modells ist kein Text ({model}); den Ordner umbenennen</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session cannot be saved in {label}: {reason}; choose another folder</source>
            <translation>die Sitzung kann nicht in {label} gespeichert werden: {reason}; einen anderen Ordner wählen</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} cannot be read as a session: {reason}; {not_a_session}</source>
            <translation>{label} ist nicht als Sitzung lesbar: {reason}; {not_a_session}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is not a session file; {not_a_session}</source>
            <translation>{label} ist keine Sitzungsdatei; {not_a_session}</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>{label} is a damaged session file: {error}; save the session again</source>
            <translation>{label} ist eine beschädigte Sitzungsdatei: {error}; die Sitzung neu speichern</translation>
        </message>
        <message>
            <location filename="../../core/session.py"></location>
            <source>the session's model cannot be opened: {error}</source>
            <translation>das Modell der Sitzung kann nicht geöffnet werden: {error}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the pool must be above zero, not {pool_bytes} bytes</source>
            <translation>der Pool muss über null liegen, nicht bei {pool_bytes} Bytes</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the token cap must be from 1 to {max_tokens:,}, not {token_cap}</source>
            <translation>die Token-Grenze muss von 1 bis {max_tokens:,} gehen, nicht {token_cap}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the new tokens must be from 0 to one below the token cap, not {new_tokens}</source>
            <translation>die neuen Token müssen von 0 bis eins unter der Token-Grenze gehen, nicht {new_tokens}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the batch must be from 1 to {max_batch:,}, not {batch_size}</source>
            <translation>der Batch muss von 1 bis {max_batch:,} gehen, nicht {batch_size}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the beams must be from 1 to {max_beams}, not {beams}</source>
            <translation>die Beams müssen von 1 bis {max_beams} gehen, nicht {beams}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the prefill chunk must be from 2 to {max_tokens:,}, not {prefill_chunk}</source>
            <translation>der Prefill-Chunk muss von 2 bis {max_tokens:,} gehen, nicht {prefill_chunk}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>the margin must be from 0 to 1, not {margin}</source>
            <translation>die Reserve muss von 0 bis 1 gehen, nicht {margin}</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>{allocator!r} does not read like PYTORCH_ALLOC_CONF</source>
            <translation>{allocator!r} liest sich nicht wie PYTORCH_ALLOC_CONF</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>a pass of kind {pass_kind} takes its whole input at once; leave out new tokens, beams, prefill chunk and KV cache</source>
            <translation>ein Durchlauf der Art {pass_kind} nimmt seine ganze Eingabe auf einmal; neue Token, Beams, Prefill-Chunk und KV-Cache weglassen</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>quantized weights have no gradients; training goes with weights none</source>
            <translation>quantisierte Gewichte haben keine Gradienten; Training geht mit Gewichten none</translation>
        </message>
        <message>
            <location filename="../../core/settings.py"></location>
            <source>{name!r} is not the name of a module, such as lm_head</source>
            <translation>{name!r} ist nicht der Name eines Moduls wie lm_head</translation>
        </message>
        <message>
            <location filename="../../core/stages.py"></location>
            <source>Starting PyTorch</source>
            <translation>PyTorch startet</translation>
        </message>
        <message>
            <location filename="../../core/stages.py"></location>
            <source>Recording the tape</source>
            <translation>Die Aufzeichnung läuft</translation>
        </message>
        <message>
            <location filename="../../core/stages.py"></location>
            <source>Loading the weights</source>
            <translation>Gewichte werden geladen</translation>
        </message>
        <message>
            <location filename="../../core/stages.py"></location>
            <source>Loading random weights (synthetic)</source>
            <translation>Zufällige Gewichte werden geladen (synthetisch)</translation>
        </message>
        <message>
            <location filename="../../core/stages.py"></location>
            <source>Pass {place} of {count}: {tokens:,} tokens</source>
            <translation>Durchlauf {place} von {count}: {tokens:,} Token</translation>
        </message>
        <message>
            <location filename="../../core/stages.py"></location>
            <source>Done</source>
            <translation>Fertig</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>backend:{value} leaves memory to the driver, which no forecast covers; use backend:native</source>
            <translation>backend:{value} überlässt den Speicher dem Treiber, was keine Prognose abdeckt; backend:native benutzen</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>backend must be native, not {value!r}</source>
            <translation>backend muss native sein, nicht {value!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be True or False, with a capital, not {value!r}</source>
            <translation>{key} muss True oder False sein, groß geschrieben, nicht {value!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be a whole number of MiB from {at_least} up, not {value!r}</source>
            <translation>{key} muss eine ganze Zahl von MiB ab {at_least} sein, nicht {value!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be a fraction such as 0.8, not {value!r}</source>
            <translation>{key} muss ein Bruchteil wie 0.8 sein, nicht {value!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>garbage_collection_threshold must lie between 0 and 1, not be {value!r}</source>
            <translation>garbage_collection_threshold muss zwischen 0 und 1 liegen, nicht bei {value!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>allocator options are key:value pairs with commas between, which {text!r} is not</source>
            <translation>Optionen des Allokators sind Paare key:value mit Kommas dazwischen, was {text!r} nicht ist</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} must be a power of 2 or a list such as [256:1,512:2,&gt;:8], not {value!r}</source>
            <translation>{key} muss eine Zweierpotenz oder eine Liste wie [256:1,512:2,&gt;:8] sein, nicht {value!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} has entries MiB:divisions with MiB a power of 2, not {entries!r}</source>
            <translation>{key} hat Einträge MiB:Teilungen mit einer Zweierpotenz von MiB, nicht {entries!r}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} needs divisions that are 0 or a power of 2, not {steps}</source>
            <translation>{key} braucht Teilungen, die 0 oder eine Zweierpotenz sind, nicht {steps}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key!r} is not an option of PyTorch's allocator; those that matter are {known}</source>
            <translation>{key!r} ist keine Option des Allokators von PyTorch; wichtig sind {known}</translation>
        </message>
        <message>
            <location filename="../../core/tape/allocator_options.py"></location>
            <source>{key} cannot be {value!r} in PyTorch; leave it out, it changes no memory</source>
            <translation>{key} kann in PyTorch nicht {value!r} sein; weglassen, es ändert keinen Speicher</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>Compute buffer estimated by closed forms that were checked against llama.cpp's CPU backend (90 points within 1 %); quantized KV takes extra scratch on a GPU.</source>
            <translation>Der Rechenpuffer ist mit geschlossenen Formeln geschätzt, die gegen die CPU-Ausführung von llama.cpp geprüft wurden (90 Punkte auf 1 %); ein quantisierter KV-Cache braucht auf einer GPU zusätzlichen Arbeitsspeicher.</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>computed, not recorded: closed forms of what llama.cpp plans, which were checked on its CPU backend</source>
            <translation>berechnet, nicht aufgezeichnet: geschlossene Formeln dessen, was llama.cpp plant, geprüft auf dessen CPU-Ausführung</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp pads a context to {pad} tokens: counted exactly up to {exact_tokens:,} tokens, beyond with the most that padding can add ({pad2} tokens).</source>
            <translation>llama.cpp füllt einen Kontext auf {pad} Token auf: genau gezählt bis {exact_tokens:,} Token, darüber mit dem Meisten, was das Auffüllen hinzufügen kann ({pad2} Token).</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>mixture of experts</source>
            <translation>Mixture of Experts</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>latent attention (MLA)</source>
            <translation>Latent Attention (MLA)</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>recurrent layers</source>
            <translation>rekurrente Schichten</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>sliding windows in the compute buffer</source>
            <translation>gleitende Fenster im Rechenpuffer</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>the micro-batch must be from 1 to {max_micro_batch:,} tokens, not {micro_batch:,}</source>
            <translation>der Micro-Batch muss von 1 bis {max_micro_batch:,} Token gehen, nicht {micro_batch:,}</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>{estimate}; micro-batch {micro_batch:,}</source>
            <translation>{estimate}; Micro-Batch {micro_batch:,}</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>a GGUF file is quantized as it is; leave weights at none, or choose another file</source>
            <translation>eine GGUF-Datei ist so quantisiert, wie sie ist; Gewichte bei none lassen oder eine andere Datei wählen</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp only runs models; a GGUF file has no forecast of kind {pass_kind}</source>
            <translation>llama.cpp führt Modelle nur aus; eine GGUF-Datei hat keine Prognose der Art {pass_kind}</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp's server has no beams; use 1 beam with a GGUF file</source>
            <translation>der Server von llama.cpp hat keine Beams; 1 Beam mit einer GGUF-Datei benutzen</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp has no KV cache of kind {kv_cache}; use auto (f16), int8 (q8_0) or int4 (q4_0)</source>
            <translation>llama.cpp hat keinen KV-Cache der Art {kv_cache}; auto (f16), int8 (q8_0) oder int4 (q4_0) benutzen</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp quantizes V only with flash attention, not {attention}; use flash or auto</source>
            <translation>llama.cpp quantisiert V nur mit Flash-Attention, nicht {attention}; flash oder auto benutzen</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>Of llama.cpp's code by reading only, not checked by a run: {untested}.</source>
            <translation>Vom Code von llama.cpp nur gelesen, nicht durch einen Lauf geprüft: {untested}.</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>The file names a window but not which layers slide; every layer is counted with the whole context.</source>
            <translation>Die Datei nennt ein Fenster, aber nicht, welche Schichten gleiten; jede Schicht ist mit dem ganzen Kontext gezählt.</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp keeps the token embeddings ({size}) in host memory; they are counted in the weights here.</source>
            <translation>llama.cpp hält die Token-Embeddings ({size}) im Speicher des Rechners; hier sind sie bei den Gewichten gezählt.</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>Each of the {batch_size:,} parallel sequences has the request's tokens of its own (--parallel B --ctx-size B·N, cache not unified).</source>
            <translation>Jede der {batch_size:,} parallelen Sequenzen hat die Token der Anfrage für sich (--parallel B --ctx-size B·N, Cache nicht vereint).</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>closed forms</source>
            <translation>geschlossene Formeln</translation>
        </message>
        <message>
            <location filename="../../core/tape/llamacpp.py"></location>
            <source>llama.cpp takes no {kv_type} cache for heads of {size:,}; use auto (f16)</source>
            <translation>llama.cpp nimmt keinen {kv_type}-Cache für Heads von {size:,}; auto (f16) benutzen</translation>
        </message>
        <message numerus="yes">
            <location filename="../../core/units.py"></location>
            <source>{n:,} tokens</source>
            <translation>
                <numerusform>{n:,} Token</numerusform>
                <numerusform>{n:,} Token</numerusform>
            </translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>not a size: {text!r}; write for example 10GiB, 512MiB or 8.5GiB</source>
            <translation>keine Größe: {text!r}; zum Beispiel 10GiB, 512MiB oder 8,5GiB schreiben</translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>size must be above zero: {text!r}; write for example 10GiB</source>
            <translation>die Größe muss über null liegen: {text!r}; zum Beispiel 10GiB schreiben</translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>size is beyond any device: {text!r}; write for example 10GiB</source>
            <translation>die Größe ist jenseits jedes Geräts: {text!r}; zum Beispiel 10GiB schreiben</translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>not a token count: {text!r}; write for example 4096</source>
            <translation>keine Anzahl von Token: {text!r}; zum Beispiel 4096 schreiben</translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>token count must be from 1 to {max_tokens:,}: {text!r}</source>
            <translation>die Anzahl der Token muss von 1 bis {max_tokens:,} gehen: {text!r}</translation>
        </message>
        <message>
            <location filename="../../core/units.py"></location>
            <source>not a size: {text!r}</source>
            <translation>keine Größe: {text!r}</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{passes} passes were run, not those at {value} tokens</source>
            <translation>{passes} Durchläufe liefen, nicht die mit {value} Token</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{name} is a GGUF file; passes of it need llama.cpp, which is not run here</source>
            <translation>{name} ist eine GGUF-Datei; Durchläufe davon brauchen llama.cpp, das hier nicht ausgeführt wird</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{name} is not in this machine, so that no pass can be run on it; choose a device that is here, such as cpu, or export without validation</source>
            <translation>{name} ist nicht in diesem Rechner, sodass darauf kein Durchlauf geht; ein vorhandenes Gerät wie cpu wählen oder ohne Validierung exportieren</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{lengths} lengths are too many to validate; add at most {most_lengths}</source>
            <translation>{lengths} Längen sind zu viele zum Validieren; höchstens {most_lengths} hinzufügen</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{tokens:,} tokens were not refused although the cap is {token_cap:,}</source>
            <translation>{tokens:,} Token wurden nicht abgelehnt, obwohl die Grenze {token_cap:,} ist</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{tokens:,} tokens: {message}</source>
            <translation>{tokens:,} Token: {message}</translation>
        </message>
        <message>
            <location filename="../../core/validation.py"></location>
            <source>{tokens:,} tokens went {peak_bytes:,} bytes over the pool</source>
            <translation>{tokens:,} Token gingen {peak_bytes:,} Bytes über den Pool</translation>
        </message>
        <message>
            <location filename="../../gui/app.py"></location>
            <source>Something unexpected happened ({name}). Your levers are unchanged; please report the details.</source>
            <translation>Etwas Unerwartetes ist geschehen ({name}). Die Hebel sind unverändert; bitte die Einzelheiten melden.</translation>
        </message>
        <message>
            <location filename="../../gui/app.py"></location>
            <source>give one model: the file, or --model</source>
            <translation>ein Modell angeben: die Datei oder --model</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>{passes} passes: {worst}. {article}</source>
            <translation>{passes} Durchläufe: {worst}. {article}</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>the forecast is off by {error:.2%} at most</source>
            <translation>die Prognose liegt höchstens {error:.2%} daneben</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>none of them ran to its end</source>
            <translation>keiner lief bis zum Ende</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Forget</source>
            <translation>Vergessen</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Go back to the forecast as recorded</source>
            <translation>Zurück zur Prognose, wie aufgezeichnet</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Calibrated: {text}.</source>
            <translation>Kalibriert: {text}.</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Calibrate</source>
            <translation>Kalibrieren</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>Keep what these passes correct for this device</source>
            <translation>Für dieses Gerät behalten, was diese Durchläufe korrigieren</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>The calibration is forgotten.</source>
            <translation>Die Kalibrierung ist vergessen.</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>There is no calibration.</source>
            <translation>Es gibt keine Kalibrierung.</translation>
        </message>
        <message>
            <location filename="../../gui/calibrating.py"></location>
            <source>nothing was calibrated: {error}</source>
            <translation>nichts wurde kalibriert: {error}</translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Find {name}</source>
            <translation>Suchen: {name}</translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>{name} of the matrix</source>
            <translation>{name} der Matrix</translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Check all</source>
            <translation>Alle an</translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Check none</source>
            <translation>Alle aus</translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>{name}, {checked} checked</source>
            <translation>{name}, {checked} gewählt</translation>
        </message>
        <message>
            <location filename="../../gui/checklist.py"></location>
            <source>Clear</source>
            <translation>Leeren</translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>This plan is pinned already; move a lever, and pin that too.</source>
            <translation>Dieser Plan ist schon angeheftet; einen Hebel bewegen und auch das anheften.</translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>This run is in the comparison already.</source>
            <translation>Dieser Lauf ist schon im Vergleich.</translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>What these were compared with is not there any more: {names}.</source>
            <translation>Womit verglichen wurde, ist nicht mehr da: {names}.</translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>At most {most} can be compared with the current plan; take one out first.</source>
            <translation>Höchstens {most} können mit dem aktuellen Plan verglichen werden; erst einen herausnehmen.</translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>its tape has to be recorded: open this plan once</source>
            <translation>die Aufzeichnung fehlt: diesen Plan einmal öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/comparing.py"></location>
            <source>defaults</source>
            <translation>Standardwerte</translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>{name}, text</source>
            <translation>{name}, Text</translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>{title} ({count} changed)</source>
            <translation>{title} ({count} geändert)</translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>open</source>
            <translation>offen</translation>
        </message>
        <message>
            <location filename="../../gui/controls.py"></location>
            <source>closed</source>
            <translation>zu</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>llama.cpp quantizes the cache with flash attention only</source>
            <translation>llama.cpp quantisiert den Cache nur mit Flash-Attention</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>for quantized weights only</source>
            <translation>nur für quantisierte Gewichte</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>quantized weights have no gradients</source>
            <translation>quantisierte Gewichte haben keine Gradienten</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>the checkpoint is quantized already ({quantization})</source>
            <translation>der Checkpoint ist schon quantisiert ({quantization})</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>a model of type {model_type} keeps no keys and values</source>
            <translation>ein Modell vom Typ {model_type} behält keine Keys und Values</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>a model of type {model_type} has no attention</source>
            <translation>ein Modell vom Typ {model_type} hat keine Attention</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>a GGUF file is quantized as it is</source>
            <translation>eine GGUF-Datei ist so quantisiert, wie sie ist</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>the file decides it</source>
            <translation>die Datei bestimmt es</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>Changes nothing here: the CPU stand-in has no such allocator.</source>
            <translation>Ändert hier nichts: der CPU-Ersatz hat keinen solchen Allokator.</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>Changes nothing: llama.cpp makes its buffers for the whole request.</source>
            <translation>Ändert nichts: llama.cpp legt seine Puffer für die ganze Anfrage an.</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>Changes nothing up to the cap: its longest prompt, {prompt:,} tokens, is one chunk.</source>
            <translation>Ändert bis zur Grenze nichts: ihr längster Prompt, {prompt:,} Token, ist ein Chunk.</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>this device would run {attention} in its place: {note}</source>
            <translation>dieses Gerät führte stattdessen {attention} aus: {note}</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>not in a pass of kind {pass_kind}</source>
            <translation>nicht in einem Durchlauf der Art {pass_kind}</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>llama.cpp has no counterpart</source>
            <translation>llama.cpp hat nichts Entsprechendes</translation>
        </message>
        <message>
            <location filename="../../gui/coupling.py"></location>
            <source>llama.cpp has no such cache</source>
            <translation>llama.cpp hat keinen solchen Cache</translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Details</source>
            <translation>Einzelheiten</translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Details of what is wrong with the {of}</source>
            <translation>Einzelheiten zum Fehler: {of}</translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Copy the message and its details</source>
            <translation>Die Meldung und ihre Einzelheiten kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/error_line.py"></location>
            <source>Copy what is wrong with the {of}</source>
            <translation>Den Fehler kopieren: {of}</translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>&amp;System</source>
            <translation>&amp;System</translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>&amp;English</source>
            <translation>&amp;English</translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>&amp;Deutsch</source>
            <translation>&amp;Deutsch</translation>
        </message>
        <message>
            <location filename="../../gui/i18n.py"></location>
            <source>{text!r} can be read in two ways; write {plain} or {decimal}</source>
            <translation>{text!r} ist auf zwei Arten lesbar; {plain} oder {decimal} schreiben</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Looking for PyTorch, {title}</source>
            <translation>PyTorch wird gesucht, {title}</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Downloading {what}</source>
            <translation>{what} wird geladen</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Installing PyTorch; this cannot be stopped</source>
            <translation>PyTorch wird installiert; das kann nicht angehalten werden</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Another window is installing PyTorch already</source>
            <translation>Ein anderes Fenster installiert PyTorch bereits</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>PyTorch could not be installed: {problem}</source>
            <translation>PyTorch konnte nicht installiert werden: {problem}</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Cancelling…</source>
            <translation>Wird abgebrochen…</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>{stage}, {size:.0f} MB so far</source>
            <translation>{stage}, {size:.0f} MB bisher</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>Starting</source>
            <translation>Beginnt</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>the installation cannot be started: {strerror}</source>
            <translation>die Installation kann nicht starten: {strerror}</translation>
        </message>
        <message>
            <location filename="../../gui/installer.py"></location>
            <source>it ended without a word</source>
            <translation>sie endete ohne ein Wort</translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>, cut short</source>
            <translation>, abgebrochen</translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>kept run of {time_text}{ended}</source>
            <translation>aufbewahrter Lauf von {time_text}{ended}</translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>{path} cannot be moved to the trash; delete the file</source>
            <translation>{path} kann nicht in den Papierkorb verschoben werden; die Datei löschen</translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>Wrote {target}.</source>
            <translation>{target} geschrieben.</translation>
        </message>
        <message>
            <location filename="../../gui/kept.py"></location>
            <source>{target} cannot be written: {strerror}; choose another folder</source>
            <translation>{target} kann nicht geschrieben werden: {strerror}; einen anderen Ordner wählen</translation>
        </message>
        <message>
            <location filename="../../gui/logs.py"></location>
            <source>pasted text</source>
            <translation>eingefügter Text</translation>
        </message>
        <message>
            <location filename="../../gui/logs.py"></location>
            <source>{path} cannot be read: {reason}</source>
            <translation>{path} kann nicht gelesen werden: {reason}</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>An export runs half the token cap, all of it and 1.5 × the cap.
Also, in tokens (for example 1k, 3k):</source>
            <translation>Ein Export führt die halbe Token-Grenze, die ganze und das 1,5-Fache aus.
Außerdem, in Token (zum Beispiel 1k, 3k):</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Open model folder…</source>
            <translation>Modell&amp;ordner öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Open &amp;model file…</source>
            <translation>&amp;Modelldatei öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Edit</source>
            <translation>&amp;Bearbeiten</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Undo</source>
            <translation>&amp;Rückgängig</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Redo</source>
            <translation>&amp;Wiederherstellen</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Copy plot as P&amp;NG</source>
            <translation>Diagramm als P&amp;NG kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Copy plot as S&amp;VG</source>
            <translation>Diagramm als S&amp;VG kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Copy plot's v&amp;alues as CSV</source>
            <translation>Werte des Diagramms als &amp;CSV kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Save plot…</source>
            <translation>Diagramm &amp;speichern…</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Pin this plan to compare</source>
            <translation>Diesen &amp;Plan zum Vergleich anheften</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Profile</source>
            <translation>Pro&amp;fil aufnehmen</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Confirm &amp;limit</source>
            <translation>&amp;Limit bestätigen</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Cali&amp;brate by these passes</source>
            <translation>Mit diesen Durchläufen &amp;kalibrieren</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Forget the calibration</source>
            <translation>Kalibrierung &amp;vergessen</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Validation lengths…</source>
            <translation>Län&amp;gen der Validierung…</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Export…</source>
            <translation>&amp;Exportieren…</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Export for an en&amp;gine…</source>
            <translation>F&amp;ür eine Engine exportieren…</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Cancel run</source>
            <translation>Lauf &amp;abbrechen</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Lo&amp;garithmic token axis</source>
            <translation>L&amp;ogarithmische Token-Achse</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Save the plot</source>
            <translation>Diagramm speichern</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Validation lengths</source>
            <translation>Längen der Validierung</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;File</source>
            <translation>&amp;Datei</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Quit</source>
            <translation>&amp;Beenden</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Run</source>
            <translation>Lauf</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;View</source>
            <translation>&amp;Ansicht</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Next step</source>
            <translation>&amp;Nächster Schritt</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Theme</source>
            <translation>&amp;Farbschema</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>L&amp;anguage, from the next start</source>
            <translation>&amp;Sprache, ab dem nächsten Start</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>The language changes when vramtuner is started again.</source>
            <translation>Die Sprache wechselt beim nächsten Start von vramtuner.</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Forecast</source>
            <translation>&amp;Prognose</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Live</source>
            <translation>&amp;Live</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Devices</source>
            <translation>&amp;Geräte</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Compare</source>
            <translation>&amp;Vergleich</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>&amp;Matrix</source>
            <translation>&amp;Matrix</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>D&amp;iagnose</source>
            <translation>D&amp;iagnose</translation>
        </message>
        <message>
            <location filename="../../gui/menus.py"></location>
            <source>Wrote {path}.</source>
            <translation>{path} geschrieben.</translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>the rest of the session is shown with {name}</source>
            <translation>der Rest der Sitzung wird mit {name} gezeigt</translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>the rest of the session is shown on {name}</source>
            <translation>der Rest der Sitzung wird auf {name} gezeigt</translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>levers that {name} has no use for are at their defaults</source>
            <translation>Hebel, die {name} nicht brauchen kann, stehen auf ihren Standardwerten</translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>{name} cannot give a pool of {value}; it is at its default</source>
            <translation>{name} kann keinen Pool von {value} geben; er steht auf seinem Standardwert</translation>
        </message>
        <message>
            <location filename="../../gui/opening.py"></location>
            <source>its levers cannot be taken and are at their defaults: {error}</source>
            <translation>die Hebel können nicht genommen werden und stehen auf ihren Standardwerten: {error}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Results</source>
            <translation>Ergebnisse</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Method and warnings</source>
            <translation>Methode und Warnungen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Fold the tables</source>
            <translation>Tabellen einklappen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Leave the room to the plots</source>
            <translation>Den Platz den Diagrammen lassen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Confirm limit</source>
            <translation>Limit bestätigen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>E&amp;xport…</source>
            <translation>E&amp;xportieren…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>&amp;Cancel</source>
            <translation>Abb&amp;rechen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Stop the run (Esc)</source>
            <translation>Den Lauf anhalten (Esc)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Progress</source>
            <translation>Fortschritt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Results of passes</source>
            <translation>Ergebnisse der Durchläufe</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>No pass has been run yet.</source>
            <translation>Noch kein Durchlauf ausgeführt.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Export the deployment file</source>
            <translation>Deployment-Datei exportieren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Environment files (*.env)</source>
            <translation>Env-Dateien (*.env)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Activity</source>
            <translation>Aktivität</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>&lt;b&gt;Method:&lt;/b&gt; {method}.</source>
            <translation>&lt;b&gt;Methode:&lt;/b&gt; {method}.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>&lt;b&gt;Memory of {name}:&lt;/b&gt; {source}.</source>
            <translation>&lt;b&gt;Speicher von {name}:&lt;/b&gt; {source}.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Method and warnings ({count})</source>
            <translation>Methode und Warnungen ({count})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Method</source>
            <translation>Methode</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Run real passes and compare them with the forecast (F5)</source>
            <translation>Echte Durchläufe ausführen und mit der Prognose vergleichen (F5)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Run the longest request that the pool itself holds, and one more (Shift+F5)</source>
            <translation>Die längste Anfrage ausführen, die der Pool selbst fasst, und eine mehr (Umschalt+F5)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/activity.py"></location>
            <source>Validate these levers and write an env file (Ctrl+E)</source>
            <translation>Diese Hebel validieren und eine Env-Datei schreiben (Strg+E)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Differences</source>
            <translation>Unterschiede</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Pin this plan</source>
            <translation>Plan anheften</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Keep the current plan here, to compare others with it (Ctrl+D)</source>
            <translation>Den aktuellen Plan hier behalten, um andere damit zu vergleichen (Strg+D)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Default</source>
            <translation>Standard</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>The same request under no levers at all: before and after</source>
            <translation>Dieselbe Anfrage ohne jeden Hebel: vorher und nachher</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Equal rows too</source>
            <translation>Auch gleiche Zeilen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Pin this plan, then move levers: both are drawn here, and what differs is listed.</source>
            <translation>Diesen Plan anheften, dann Hebel bewegen: beide werden hier gezeichnet, und was sich unterscheidet, steht darunter.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Take it out of the comparison</source>
            <translation>Aus dem Vergleich nehmen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Take out {name}</source>
            <translation>{name} herausnehmen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>{name}
Click to open this plan</source>
            <translation>{name}
Klicken, um diesen Plan zu öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Change</source>
            <translation>Änderung</translation>
        </message>
        <message>
            <location filename="../../gui/panels/compare.py"></location>
            <source>Now</source>
            <translation>Jetzt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Memory</source>
            <translation>Speicher</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Used</source>
            <translation>Belegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Free now</source>
            <translation>Jetzt frei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>HIP's count</source>
            <translation>HIP zählt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Other heap</source>
            <translation>Anderer Heap</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Overhead</source>
            <translation>Overhead</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Unique id</source>
            <translation>Eindeutige ID</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Note</source>
            <translation>Hinweis</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>The rows add up to {vram} of VRAM{mapped}, what the driver counts as used.</source>
            <translation>Die Zeilen ergeben {vram} VRAM{mapped}; das ist, was der Treiber als belegt zählt.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{text}, the driver's count</source>
            <translation>{text}, vom Treiber gezählt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{counts_text}; asked at {at:%H:%M:%S}, when passes began</source>
            <translation>{counts_text}; gefragt um {at:%H:%M:%S}, als Durchläufe begannen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>GTT, system memory that it may map: {part}</source>
            <translation>GTT, Systemspeicher, den sie einblenden darf: {part}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{used} of {total} used</source>
            <translation>{used} von {total} belegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Real passes on the processor, in this machine's RAM</source>
            <translation>Echte Durchläufe auf dem Prozessor, im RAM dieses Rechners</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{compute_units} compute units</source>
            <translation>{compute_units} Recheneinheiten</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>not there now</source>
            <translation>jetzt nicht da</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>It is not there now, so that nobody holds its memory.</source>
            <translation>Es ist jetzt nicht da, also hält niemand seinen Speicher.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>Processes are listed for GPUs only.</source>
            <translation>Prozesse werden nur für GPUs aufgeführt.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>The driver does not count the whole, so that rows may be missing.</source>
            <translation>Der Treiber zählt nicht alles, sodass Zeilen fehlen können.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source> and {gtt} of GTT</source>
            <translation> und {gtt} GTT</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>The rows add up to {vram} of VRAM{mapped}, what is counted for this partition.</source>
            <translation>Die Zeilen ergeben {vram} VRAM{mapped}; das ist, was für diese Partition gezählt wird.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{used}, RAM that is not available</source>
            <translation>{used}, RAM, der nicht verfügbar ist</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{used}, by everyone, </source>
            <translation>{used}, von allen, </translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{text}, RAM that is available</source>
            <translation>{text}, verfügbarer RAM</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{text}, the smaller of available RAM, {ram_bytes},{driver}</source>
            <translation>{text}, das kleinere von verfügbarem RAM, {ram_bytes},{driver}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>not asked: passes on this GPU ask it when they begin, and so does `vramtuner devices --hip`</source>
            <translation>nicht gefragt: Durchläufe auf dieser GPU fragen zu Beginn, ebenso `vramtuner devices --hip`</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>VRAM, the BIOS's carve-out: {part}</source>
            <translation>VRAM, vom BIOS reserviert: {part}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>hidden from HIP</source>
            <translation>vor HIP verborgen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>HIP's GPU {runtime_index}</source>
            <translation>HIP-GPU {runtime_index}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>estimated, {low} to {high} a process</source>
            <translation>geschätzt, {low} bis {high} je Prozess</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>unknown</source>
            <translation>unbekannt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>counted for this partition</source>
            <translation>für diese Partition gezählt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>the driver's count</source>
            <translation>vom Treiber gezählt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source> and the driver's {driver_bytes}</source>
            <translation> und dem Wert des Treibers, {driver_bytes}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{junction_celsius:.0f} °C at the hottest spot</source>
            <translation>{junction_celsius:.0f} °C an der heißesten Stelle</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{watts:.0f} W</source>
            <translation>{watts:.0f} W</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{celsius:.0f} °C</source>
            <translation>{celsius:.0f} °C</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>{pool} by default, {pool_fraction:.0%} of the memory; alert at {alert_fraction:.0%} of it</source>
            <translation>standardmäßig {pool}, {pool_fraction:.0%} des Speichers; Alarm bei {alert_fraction:.0%} davon</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>none: the driver's margin takes all of the memory</source>
            <translation>keiner: die Reserve des Treibers nimmt den ganzen Speicher</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_facts.py"></location>
            <source>gfx unknown</source>
            <translation>gfx unbekannt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>{short} of {total} used</source>
            <translation>{short} von {total} belegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>planned for</source>
            <translation>eingeplant</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>Devices of this machine</source>
            <translation>Geräte dieses Rechners</translation>
        </message>
        <message>
            <location filename="../../gui/panels/device_list.py"></location>
            <source>{short} of {total} free</source>
            <translation>{short} von {total} frei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Refresh</source>
            <translation>Aktualisieren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Look for devices again (Ctrl+R)</source>
            <translation>Neu nach Geräten sehen (Strg+R)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Refresh devices</source>
            <translation>Geräte aktualisieren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Notes on devices</source>
            <translation>Hinweise zu Geräten</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Events of the device</source>
            <translation>Ereignisse des Geräts</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Use this device</source>
            <translation>Gerät benutzen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Plan for this device; Ctrl+Z takes it back</source>
            <translation>Für dieses Gerät planen; Strg+Z nimmt es zurück</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>The pool and what is free</source>
            <translation>Der Pool und was frei ist</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Who holds its memory</source>
            <translation>Wer seinen Speicher hält</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Facts of the device</source>
            <translation>Angaben zum Gerät</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>used</source>
            <translation>belegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>free</source>
            <translation>frei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>busy</source>
            <translation>ausgelastet</translation>
        </message>
        <message>
            <location filename="../../gui/panels/devices.py"></location>
            <source>Planned for</source>
            <translation>Eingeplant</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Paste an error, or drop a log here: of PyTorch, vLLM, llama.cpp, Ollama, the kernel, or a trace of rocprofv3. Nothing leaves this machine.</source>
            <translation>Einen Fehler einfügen oder ein Log hierher ziehen: von PyTorch, vLLM, llama.cpp, Ollama, dem Kernel, oder einen Trace von rocprofv3. Nichts verlässt diesen Rechner.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Engine</source>
            <translation>Engine</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>System</source>
            <translation>System</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Environment</source>
            <translation>Umgebung</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>a guess ({confidence:.2f})</source>
            <translation>eine Vermutung ({confidence:.2f})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>sure ({confidence:.2f})</source>
            <translation>sicher ({confidence:.2f})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>likely ({confidence:.2f})</source>
            <translation>wahrscheinlich ({confidence:.2f})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Open a log…</source>
            <translation>Log öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Paste</source>
            <translation>Einfügen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Read what was copied</source>
            <translation>Lesen, was kopiert wurde</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Recent</source>
            <translation>Zuletzt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Log</source>
            <translation>Log</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Findings</source>
            <translation>Befunde</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Open a log or a trace</source>
            <translation>Ein Log oder einen Trace öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Reading…</source>
            <translation>Wird gelesen…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>VRAM ran out</source>
            <translation>der VRAM reichte nicht</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>it is not VRAM that ran out</source>
            <translation>es war nicht der VRAM, der nicht reichte</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Copy the finding as text</source>
            <translation>Den Befund als Text kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Plan for a {name}</source>
            <translation>Für eine {name} planen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>There is no text to paste.</source>
            <translation>Es gibt keinen Text zum Einfügen.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>{lever} {value}: {why}</source>
            <translation>{lever} {value}: {why}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Would tell more: {what}</source>
            <translation>Mehr würde sagen: {what}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>line {line:,}</source>
            <translation>Zeile {line:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>Change the plan of this window (Ctrl+Z takes it back)</source>
            <translation>Den Plan dieses Fensters ändern (Strg+Z nimmt es zurück)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>{change} → {limit}</source>
            <translation>{change} → {limit}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/diagnose.py"></location>
            <source>No log has been opened yet.</source>
            <translation>Es wurde noch kein Log geöffnet.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>its limit is known once its tape is recorded, which choosing it does</source>
            <translation>das Limit ist bekannt, sobald aufgezeichnet ist, was bei der Wahl geschieht</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the cap is {apart:,} above it</source>
            <translation>die Grenze liegt {apart:,} darüber</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the cap is the limit</source>
            <translation>die Grenze ist das Limit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the cap is {apart:,} below it</source>
            <translation>die Grenze liegt {apart:,} darunter</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>Effect on the limit</source>
            <translation>Wirkung auf das Limit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>Levers</source>
            <translation>Hebel</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the limit stays {tokens:,}; {distance}</source>
            <translation>das Limit bleibt {tokens:,}; {distance}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>limit {tokens:,}; {distance}</source>
            <translation>Limit {tokens:,}; {distance}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>with {most}: {arrow}</source>
            <translation>mit {most}: {arrow}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the limit stays {best:,} with any other</source>
            <translation>das Limit bleibt mit jedem anderen {best:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>{label}: as it is, limit {tokens:,}</source>
            <translation>{label}: wie es ist, Limit {tokens:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>limit {text}</source>
            <translation>Limit {text}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>limit {before:,} → {after}</source>
            <translation>Limit {before:,} → {after}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>waits for the forecast</source>
            <translation>wartet auf die Prognose</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the largest there can be; limit {tokens:,}</source>
            <translation>der größtmögliche; Limit {tokens:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>the limit is {tokens:,}</source>
            <translation>das Limit ist {tokens:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>{itemtext}, limit {text}</source>
            <translation>{itemtext}, Limit {text}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/effects.py"></location>
            <source>  limit 100,000,000</source>
            <translation>  Limit 100,000,000</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>PyTorch's fraction and the guard hold pool and token cap. Passes come first if they can.</source>
            <translation>PyTorchs Anteil und der Guard halten Pool und Token-Grenze ein. Durchläufe kommen zuerst, wenn sie möglich sind.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>vLLM's own options hold token cap and pool. Not validated: vLLM is not run here.</source>
            <translation>vLLMs eigene Optionen halten Token-Grenze und Pool ein. Nicht validiert: vLLM wird hier nicht ausgeführt.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>llama.cpp makes its buffers for the token cap. Not validated: llama.cpp is not run here.</source>
            <translation>llama.cpp legt seine Puffer für die Token-Grenze an. Nicht validiert: llama.cpp wird hier nicht ausgeführt.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>Ollama keeps off what is not the pool. Not validated: Ollama is not run here.</source>
            <translation>Ollama lässt frei, was nicht zum Pool gehört. Nicht validiert: Ollama wird hier nicht ausgeführt.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>systemd drop-in</source>
            <translation>systemd-Drop-in</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>compose file</source>
            <translation>Compose-Datei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>Kubernetes pod</source>
            <translation>Kubernetes-Pod</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>What it allocates is recorded first, when the file is written.</source>
            <translation>Was sie belegt, wird beim Schreiben der Datei zuerst aufgezeichnet.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>Export for an engine</source>
            <translation>Für eine Engine exportieren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>Over the cap</source>
            <translation>Über der Grenze</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>What the guard does with a request above the token cap</source>
            <translation>Was der Guard mit einer Anfrage über der Token-Grenze tut</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>GPU named by</source>
            <translation>GPU benannt nach</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>&amp;Save as…</source>
            <translation>&amp;Speichern unter…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>&amp;Engine</source>
            <translation>&amp;Engine</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>&amp;Over the cap</source>
            <translation>Ü&amp;ber der Grenze</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>&amp;GPU named by</source>
            <translation>&amp;GPU benannt nach</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>Beside the file</source>
            <translation>Neben der Datei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>Working out what it allocates…</source>
            <translation>Wird berechnet, was sie belegt…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>With several cards the id names the same one wherever it is</source>
            <translation>Bei mehreren Karten nennt die ID immer dieselbe, wo sie auch steckt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>The device has no unique id, or is not in this machine</source>
            <translation>Das Gerät hat keine eindeutige ID oder ist nicht in diesem Rechner</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>whoever starts it decides</source>
            <translation>entscheidet, wer startet</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>refuse</source>
            <translation>ablehnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>truncate</source>
            <translation>kürzen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>its place</source>
            <translation>ihrem Platz</translation>
        </message>
        <message>
            <location filename="../../gui/panels/export.py"></location>
            <source>its unique id</source>
            <translation>ihrer eindeutigen ID</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source> in {phase_labels}</source>
            <translation> ({phase_labels})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>log</source>
            <translation>log</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>Logarithmic token axis</source>
            <translation>Logarithmische Token-Achse</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>Tokens on a logarithmic axis (Ctrl+L)</source>
            <translation>Token auf logarithmischer Achse (Strg+L)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>Memory by component</source>
            <translation>Speicher nach Bestandteilen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source> (the cap)</source>
            <translation> (die Grenze)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>At {tokens}{where}</source>
            <translation>Bei {tokens}{where}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/forecast.py"></location>
            <source>peak{place} &lt;b&gt;{peak}&lt;/b&gt; · with margin, dotted: &lt;b&gt;{needed}&lt;/b&gt;</source>
            <translation>Spitze{place} &lt;b&gt;{peak}&lt;/b&gt; · gepunktet: mit Reserve &lt;b&gt;{needed}&lt;/b&gt;</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>int8, 8 bits</source>
            <translation>int8, 8 Bit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>nf4, 4 bits</source>
            <translation>nf4, 4 Bit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>fp4, 4 bits</source>
            <translation>fp4, 4 Bit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>nf4-dq, 4 bits</source>
            <translation>nf4-dq, 4 Bit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>fp4-dq, 4 bits</source>
            <translation>fp4-dq, 4 Bit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>auto (f16)</source>
            <translation>auto (f16)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>int8 (q8_0)</source>
            <translation>int8 (q8_0)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>int4 (q4_0)</source>
            <translation>int4 (q4_0)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>at most {most} ({driver_margin_bytes} stays free)</source>
            <translation>höchstens {most} ({driver_margin_bytes} bleiben frei)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>More lever&amp;s</source>
            <translation>Weitere &amp;Hebel</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>The hard ceiling of a request, prompt and new tokens together, such as 4096 or 8k</source>
            <translation>Die feste Obergrenze einer Anfrage, Prompt und neue Token zusammen, zum Beispiel 4096 oder 8k</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Token cap, slider</source>
            <translation>Token-Grenze, Schieberegler</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>The memory this process may take, such as 10GiB or 8.5 GiB</source>
            <translation>Der Speicher, den dieser Prozess belegen darf, zum Beispiel 10GiB oder 8,5 GiB</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Pool, slider</source>
            <translation>Pool, Schieberegler</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Tokens of the cap that are generated; all prompt is the most that any split takes</source>
            <translation>Token der Grenze, die erzeugt werden; nur Prompt ist das Meiste, was eine Aufteilung braucht</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Requests that run together</source>
            <translation>Anfragen, die zusammen laufen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Quantize the weights with bitsandbytes; check the answers' quality.
dq quantizes the constants of its blocks again (double quantization).</source>
            <translation>Die Gewichte mit bitsandbytes quantisieren; Qualität der Antworten prüfen.
dq quantisiert die Konstanten der Blöcke noch einmal (doppelte Quantisierung).</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>auto grows with the request; static is allocated whole at the start; offloaded keeps one layer on the
device; the others are quantized</source>
            <translation>auto wächst mit der Anfrage; static wird am Anfang ganz belegt; offloaded hält eine Schicht auf dem
Gerät; die anderen sind quantisiert</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>The attention kernel; auto is what PyTorch takes on this device</source>
            <translation>Der Attention-Kernel; auto ist der, den PyTorch auf diesem Gerät nimmt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Token cap</source>
            <translation>&amp;Token-Grenze</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>Poo&amp;l</source>
            <translation>Poo&amp;l</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;New tokens</source>
            <translation>Neue To&amp;ken</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Weights</source>
            <translation>Ge&amp;wichte</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;KV cache</source>
            <translation>K&amp;V-Cache</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Attention</source>
            <translation>Att&amp;ention</translation>
        </message>
        <message>
            <location filename="../../gui/panels/levers.py"></location>
            <source>&amp;Batch</source>
            <translation>Bat&amp;ch</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>in tensors</source>
            <translation>in Tensoren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>reserved by PyTorch</source>
            <translation>von PyTorch reserviert</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>own process</source>
            <translation>eigener Prozess</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>whole device</source>
            <translation>ganzes Gerät</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>load</source>
            <translation>Laden</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Replay</source>
            <translation>Wiederholen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Moment of the run</source>
            <translation>Moment des Laufs</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Speed of the replay</source>
            <translation>Tempo der Wiedergabe</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Time in the run</source>
            <translation>Zeit im Lauf</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Follow</source>
            <translation>Folgen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Go to the newest reading, and with it</source>
            <translation>Zum neuesten Messwert gehen und bei ihm bleiben</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Speed</source>
            <translation>Tempo</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>{now:,.1f} of {last:,.1f} s</source>
            <translation>{now:,.1f} von {last:,.1f} s</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Show {name}</source>
            <translation>{name} zeigen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Live memory</source>
            <translation>Speicher live</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>At {now:,.1f} s</source>
            <translation>Bei {now:,.1f} s</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>measured on {device_name}{rest}</source>
            <translation>gemessen auf {device_name}{rest}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Pause</source>
            <translation>Pause</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>At the end of the run</source>
            <translation>Am Ende des Laufs</translation>
        </message>
        <message>
            <location filename="../../gui/panels/live.py"></location>
            <source>Play</source>
            <translation>Abspielen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>CSV, every figure (*.csv);;Markdown (*.md);;HTML, one page (*.html)</source>
            <translation>CSV, alle Zahlen (*.csv);;Markdown (*.md);;HTML, eine Seite (*.html)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Scale of colours: {smallest:,} to {largest:,} tokens, each step a doubling</source>
            <translation>Farbskala: {smallest:,} bis {largest:,} Token, jede Stufe eine Verdopplung</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Record the missing ones</source>
            <translation>Fehlende aufzeichnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Save…</source>
            <translation>Speichern…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Write the table as CSV, Markdown or HTML</source>
            <translation>Die Tabelle als CSV, Markdown oder HTML schreiben</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Check a model and a device.</source>
            <translation>Ein Modell und ein Gerät wählen.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Save the matrix</source>
            <translation>Matrix speichern</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Models</source>
            <translation>Modelle</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Devices</source>
            <translation>Geräte</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Cancel recording</source>
            <translation>Aufzeichnen abbrechen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Stop; what was recorded until then is kept</source>
            <translation>Anhalten; was bis dahin aufgezeichnet ist, bleibt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Record the passes of these models; some take minutes</source>
            <translation>Die Durchläufe dieser Modelle aufzeichnen; manche dauern Minuten</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Working out {stale:,} of {total:,}…</source>
            <translation>{stale:,} von {total:,} werden berechnet…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Each cell is the largest request that fits, in tokens. Enter or a double click opens its plan.</source>
            <translation>Jede Zelle ist die größte Anfrage, die passt, in Token. Eingabe oder Doppelklick öffnet ihren Plan.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>{missing:,} of {total:,} not recorded yet</source>
            <translation>{missing:,} von {total:,} noch nicht aufgezeichnet</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>not worked out</source>
            <translation>nicht berechnet</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>Longest requests that fit, in tokens</source>
            <translation>Längste Anfragen, die passen, in Token</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>, with {changed}</source>
            <translation>, mit {changed}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix.py"></location>
            <source>{path} cannot be written: {strerror}; choose another folder</source>
            <translation>{path} kann nicht geschrieben werden: {strerror}; einen anderen Ordner wählen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>{name}: {count}, made for {max_positions:,} tokens, {source}</source>
            <translation>{name}: {count}, gemacht für {max_positions:,} Token, {source}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>{parameters:,} parameters</source>
            <translation>{parameters:,} Parameter</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>parameters not counted</source>
            <translation>Parameter nicht gezählt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>{name} on {name2}: being worked out.</source>
            <translation>{name} auf {name2}: wird berechnet.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>not recorded</source>
            <translation>nicht aufgezeichnet</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>no forecast</source>
            <translation>keine Prognose</translation>
        </message>
        <message>
            <location filename="../../gui/panels/matrix_table.py"></location>
            <source>Token limits, models down and devices across</source>
            <translation>Token-Limits, Modelle nach unten und Geräte nach rechts</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>last token only</source>
            <translation>letztes Token</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>llama.cpp has no counterpart of what is greyed.</source>
            <translation>Was grau ist, hat in llama.cpp keine Entsprechung.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>default ({tokens})</source>
            <translation>Standard ({tokens})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Beams of each request: every row of the batch is repeated once a beam</source>
            <translation>Beams jeder Anfrage: jede Zeile des Batches wird je Beam einmal wiederholt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Prompt tokens a pass, such as 512 or 2k</source>
            <translation>Prompt-Token je Durchlauf, zum Beispiel 512 oder 2k</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Gradient c&amp;heckpointing</source>
            <translation>Gradient Check&amp;pointing</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Compute activations again in the backward pass instead of keeping them</source>
            <translation>Aktivierungen im Rückwärtsdurchlauf neu berechnen, statt sie zu behalten</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>generate keeps the last token's logits only</source>
            <translation>generate behält nur die Logits des letzten Tokens</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>The type of weights and activations; auto is the checkpoint's own</source>
            <translation>Der Typ von Gewichten und Aktivierungen; auto ist der des Checkpoints</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Modules that stay unquantized, in place of the usual lm_head: name it too</source>
            <translation>Module, die nicht quantisiert werden, anstelle des üblichen lm_head: auch dieses nennen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>PyTorch's allocator options, as in PYTORCH_ALLOC_CONF</source>
            <translation>Optionen des Allokators von PyTorch, wie in PYTORCH_ALLOC_CONF</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Kept free on top of everything that is not weights</source>
            <translation>Bleibt über allem frei, was nicht Gewichte ist</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Prefill ch&amp;unk</source>
            <translation>Prefill-Ch&amp;unk</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Lo&amp;gits</source>
            <translation>Logit&amp;s</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Data t&amp;ype</source>
            <translation>Datent&amp;yp</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>at {token_cap}, by the tapes with and without.</source>
            <translation>bei {token_cap}, nach den Aufzeichnungen mit und ohne.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Checkpointing takes nothing off the peak {at}</source>
            <translation>Checkpointing nimmt nichts von der Spitze {at}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>the micro-batch must be at most {max_micro_batch:,} tokens, not {size:,}</source>
            <translation>der Micro-Batch darf höchstens {max_micro_batch:,} Token haben, nicht {size:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>as in the file</source>
            <translation>wie in der Datei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>auto ({dtype})</source>
            <translation>auto ({dtype})</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Micro-batch</source>
            <translation>Micro-Batch</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>would take</source>
            <translation>nähme</translation>
        </message>
        <message>
            <location filename="../../gui/panels/more_levers.py"></location>
            <source>Checkpointing {verb} {saved} off the peak {at}</source>
            <translation>Checkpointing {verb} {saved} von der Spitze {at}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>Notice</source>
            <translation>Hinweis</translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>Write anyway, marked “not validated”</source>
            <translation>Trotzdem schreiben, als „nicht validiert“</translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>What else is known of the cause</source>
            <translation>Was sonst über die Ursache bekannt ist</translation>
        </message>
        <message>
            <location filename="../../gui/panels/notice.py"></location>
            <source>Dismiss</source>
            <translation>Schließen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>Presets</source>
            <translation>Vorlagen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>Presets of levers</source>
            <translation>Vorlagen für Hebel</translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>Whole sets of levers to start from; Ctrl+Z takes one back</source>
            <translation>Ganze Sätze von Hebeln zum Anfangen; Strg+Z nimmt einen zurück</translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>limit {limit:,}</source>
            <translation>Limit {limit:,}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/presets.py"></location>
            <source>needs PyTorch</source>
            <translation>braucht PyTorch</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>User</source>
            <translation>Benutzer</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>VRAM bytes</source>
            <translation>VRAM-Bytes</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>GTT bytes</source>
            <translation>GTT-Bytes</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>The process's id</source>
            <translation>Die ID des Prozesses</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>The program's name</source>
            <translation>Der Name des Programms</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>Whose process it is</source>
            <translation>Wem der Prozess gehört</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>The card's own memory</source>
            <translation>Der eigene Speicher der Karte</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>System memory that the GPU maps</source>
            <translation>Systemspeicher, den die GPU einblendet</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>Processes that hold memory of the device</source>
            <translation>Prozesse, die Speicher des Geräts halten</translation>
        </message>
        <message>
            <location filename="../../gui/panels/processes.py"></location>
            <source>{value:,} bytes</source>
            <translation>{value:,} Bytes</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>profile</source>
            <translation>Profil</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>limit</source>
            <translation>Limit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>validation</source>
            <translation>Validierung</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>kept run</source>
            <translation>aufbewahrter Lauf</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Outcome</source>
            <translation>Ergebnis</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Measured</source>
            <translation>Gemessen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Forecast</source>
            <translation>Prognose</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Error</source>
            <translation>Fehler</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>Measured on</source>
            <translation>Gemessen auf</translation>
        </message>
        <message>
            <location filename="../../gui/panels/results.py"></location>
            <source>{seconds:.1f} s</source>
            <translation>{seconds:.1f} s</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Comma-separated values (*.csv);;Parquet (*.parquet)</source>
            <translation>Durch Kommas getrennte Werte (*.csv);;Parquet (*.parquet)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>When</source>
            <translation>Wann</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Runs that were kept</source>
            <translation>Aufbewahrte Läufe</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>No run has been kept yet. Profile (F5) keeps one.</source>
            <translation>Noch kein Lauf aufbewahrt. „Profil aufnehmen“ (F5) bewahrt einen auf.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Show this run in the Live tab, to be played again (Enter)</source>
            <translation>Diesen Lauf unter Live zeigen, zum Abspielen (Eingabe)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Compare</source>
            <translation>Vergleich</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Put this run beside others in the Compare tab</source>
            <translation>Diesen Lauf im Vergleich neben andere stellen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Export…</source>
            <translation>Exportieren…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Write its readings as CSV or Parquet</source>
            <translation>Die Messwerte als CSV oder Parquet schreiben</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Discard</source>
            <translation>Verwerfen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Move the run's file to the trash (Delete)</source>
            <translation>Die Datei des Laufs in den Papierkorb verschieben (Entf)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open file…</source>
            <translation>Datei öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open a run from anywhere</source>
            <translation>Einen Lauf von irgendwo öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Export the readings</source>
            <translation>Messwerte exportieren</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Open a run</source>
            <translation>Lauf öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/runs.py"></location>
            <source>Runs (*{suffix});;All files (*)</source>
            <translation>Läufe (*{suffix});;Alle Dateien (*)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>No steps yet. Set the levers in the window and press F9: what they show becomes a step. F11 presents the steps in large type; the arrow keys move between them.</source>
            <translation>Noch keine Schritte. Die Hebel im Fenster einstellen und F9 drücken: was sie zeigen, wird ein Schritt. F11 führt die Schritte in großer Schrift vor; die Pfeiltasten wechseln zwischen ihnen.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Script – vramtuner</source>
            <translation>Skript – vramtuner</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Script</source>
            <translation>Skript</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>What was changed last</source>
            <translation>Was zuletzt geändert wurde</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Move up</source>
            <translation>Nach oben</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Move down</source>
            <translation>Nach unten</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Delete</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Make a demo: “{demo_title}”</source>
            <translation>Demo anlegen: „{demo_title}“</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Some steps for the model and the device of the window, to begin with</source>
            <translation>Einige Schritte für Modell und Gerät des Fensters, für den Anfang</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Undone.</source>
            <translation>Rückgängig gemacht.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Caption of step {row}</source>
            <translation>Beschriftung von Schritt {row}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Caption</source>
            <translation>Beschriftung</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>What moves</source>
            <translation>Was sich bewegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Step {row} is step {row2} now.</source>
            <translation>Schritt {row} ist jetzt Schritt {row2}.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Deleted step {row}: “{caption}”</source>
            <translation>Schritt {row} gelöscht: „{caption}“</translation>
        </message>
        <message>
            <location filename="../../gui/panels/script.py"></location>
            <source>Deleted step {row}.</source>
            <translation>Schritt {row} gelöscht.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Inference</source>
            <translation>Inferenz</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Autograd</source>
            <translation>Autograd</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Training step</source>
            <translation>Trainingsschritt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Takes its whole input at once: no new tokens, KV cache, beams or chunks.</source>
            <translation>Nimmt die ganze Eingabe auf einmal: keine neuen Token, kein KV-Cache, keine Beams oder Chunks.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Parameters</source>
            <translation>Parameter</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Stored as</source>
            <translation>Gespeichert als</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Positions</source>
            <translation>Positionen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Class</source>
            <translation>Klasse</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Source</source>
            <translation>Quelle</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Target</source>
            <translation>Ziel</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Models (*.gguf config.json);;All files (*)</source>
            <translation>Modelle (*.gguf config.json);;Alle Dateien (*)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source> · {vram_used_bytes:.0%} used</source>
            <translation> · {vram_used_bytes:.0%} belegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>the GGUF file</source>
            <translation>der GGUF-Datei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{stored_bytes} in {files}</source>
            <translation>{stored_bytes} in {files}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>config facts only</source>
            <translation>nur Angaben der Konfiguration</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{quantization}, else {dtype}</source>
            <translation>{quantization}, sonst {dtype}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>, {vram_used_bytes} in use</source>
            <translation>, {vram_used_bytes} belegt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Search, for example llama</source>
            <translation>Suchen, zum Beispiel llama</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Recent models, and published facts of well-known ones; type to search</source>
            <translation>Zuletzt benutzte Modelle und veröffentlichte Angaben bekannter; zum Suchen tippen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>&amp;Open folder…</source>
            <translation>&amp;Ordner öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>A folder with config.json and, for exact weights, safetensors files (Ctrl+O)</source>
            <translation>Ein Ordner mit config.json und, für genaue Gewichte, safetensors-Dateien (Strg+O)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>A GGUF file, which llama.cpp runs, or a config.json alone (Ctrl+Shift+O)</source>
            <translation>Eine GGUF-Datei, die llama.cpp ausführt, oder eine config.json allein (Strg+Umschalt+O)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Search, for example 7900 or 24 GiB</source>
            <translation>Suchen, zum Beispiel 7900 oder 24 GiB</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Type to search by name, gfx target or memory, for example 7900, gfx90a or 24 GiB</source>
            <translation>Zum Suchen Namen, gfx-Ziel oder Speicher tippen, zum Beispiel 7900, gfx90a oder 24 GiB</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Autograd is a forward pass that records gradients; training adds the backward pass, optimizer excluded</source>
            <translation>Autograd ist ein Vorwärtsdurchlauf, der Gradienten aufzeichnet; Training fügt den Rückwärtsdurchlauf hinzu, ohne Optimierer</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>&amp;Model</source>
            <translation>&amp;Modell</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>&amp;Device</source>
            <translation>&amp;Gerät</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Open a model folder</source>
            <translation>Modellordner öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>Open a model file</source>
            <translation>Modelldatei öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>It was in this machine and is not any more. The forecast stays; passes need it back.</source>
            <translation>Es war in diesem Rechner und ist es nicht mehr. Die Prognose bleibt; Durchläufe brauchen es wieder.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>This machine</source>
            <translation>Dieser Rechner</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>What if…</source>
            <translation>Was wäre, wenn…</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>not counted</source>
            <translation>nicht gezählt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>GGUF, types of its own</source>
            <translation>GGUF, eigene Typen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>estimated, {low} to {high}</source>
            <translation>geschätzt, {low} bis {high}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{name} · not there now</source>
            <translation>{name} · jetzt nicht da</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{found} models match {text!r}; type more, or pick one</source>
            <translation>{found} Modelle passen zu {text!r}; mehr tippen oder eines wählen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/setup.py"></location>
            <source>{found} devices match {text!r}; type more, or pick one</source>
            <translation>{found} Geräte passen zu {text!r}; mehr tippen oder eines wählen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Pool in use at the token cap</source>
            <translation>Belegter Pool an der Token-Grenze</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Verdict</source>
            <translation>Urteil</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Verdict sentence</source>
            <translation>Satz des Urteils</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>{free} free</source>
            <translation>{free} frei</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>{free} short</source>
            <translation>{free} fehlen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>{text} at {token_cap}</source>
            <translation>{text} bei {token_cap}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>safety margin {margin_bytes} (hatched)</source>
            <translation>Sicherheitsreserve {margin_bytes} (schraffiert)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Most helpful: {change}
→ limit {limit_tokens}</source>
            <translation>Hilft am meisten: {change}
→ Limit {limit_tokens}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>The one change that raises the limit most: {note}.</source>
            <translation>Die eine Änderung, die das Limit am meisten hebt: {note}.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>✓ Fits</source>
            <translation>✓ Passt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>✕ Does not fit</source>
            <translation>✕ Passt nicht</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>No forecast</source>
            <translation>Keine Prognose</translation>
        </message>
        <message>
            <location filename="../../gui/panels/verdict.py"></location>
            <source>Recording</source>
            <translation>Aufzeichnung</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>What comes next</source>
            <translation>Was als Nächstes kommt</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>What works now</source>
            <translation>Was jetzt geht</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Command that installs PyTorch</source>
            <translation>Befehl, der PyTorch installiert</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Progress of the installation</source>
            <translation>Fortschritt der Installation</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Cancel the installation</source>
            <translation>Die Installation abbrechen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Dismiss what comes next, for good</source>
            <translation>Was als Nächstes kommt für immer schließen</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Do not show this again (View → Next step brings it back)</source>
            <translation>Nicht wieder zeigen (Ansicht → Nächster Schritt holt es zurück)</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>PyTorch is installed.</source>
            <translation>PyTorch ist installiert.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>PyTorch is installed; start vramtuner again to use it.</source>
            <translation>PyTorch ist installiert; vramtuner neu starten, um es zu benutzen.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Installing PyTorch: {text}</source>
            <translation>PyTorch wird installiert: {text}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Cancelled; nothing was installed.</source>
            <translation>Abgebrochen; nichts wurde installiert.</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>PyTorch was not installed: {reason}</source>
            <translation>PyTorch wurde nicht installiert: {reason}</translation>
        </message>
        <message>
            <location filename="../../gui/panels/welcome.py"></location>
            <source>Copied. Start vramtuner again when it has run.</source>
            <translation>Kopiert. vramtuner neu starten, wenn der Befehl gelaufen ist.</translation>
        </message>
        <message>
            <location filename="../../gui/plots/canvas.py"></location>
            <source>pool {pool_bytes}</source>
            <translation>Pool {pool_bytes}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/canvas.py"></location>
            <source>{text}, above this chart ↑</source>
            <translation>{text}, oberhalb des Diagramms ↑</translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>Tokens in a request (prompt + new)</source>
            <translation>Token einer Anfrage (Prompt + neue)</translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>Memory to reserve (GiB)</source>
            <translation>Speicherbedarf (GiB)</translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>Comparison plot</source>
            <translation>Vergleichsdiagramm</translation>
        </message>
        <message>
            <location filename="../../gui/plots/compare_plot.py"></location>
            <source>pool {pool:.2f} GiB</source>
            <translation>Pool {pool:.2f} GiB</translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>SVG picture (*.svg);;PNG picture (*.png);;Values as CSV (*.csv)</source>
            <translation>SVG-Bild (*.svg);;PNG-Bild (*.png);;Werte als CSV (*.csv)</translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>there is no curve here whose values could be taken; choose another tab</source>
            <translation>hier ist keine Kurve, deren Werte genommen werden könnten; ein anderes Register wählen</translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>nothing is drawn yet, so that there are no values</source>
            <translation>noch ist nichts gezeichnet, also gibt es keine Werte</translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>{name} is no name for a plot; let it end in {formats}</source>
            <translation>{name} ist kein Name für ein Diagramm; auf {formats} enden lassen</translation>
        </message>
        <message>
            <location filename="../../gui/plots/copying.py"></location>
            <source>{path} cannot be written: {value}</source>
            <translation>{path} kann nicht geschrieben werden: {value}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>Memory in use</source>
            <translation>Belegter Speicher</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>an unknown part</source>
            <translation>ein unbekannter Teil</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>{of} of {total}; the default pool is {pool}</source>
            <translation>{of} von {total}; der Standard-Pool ist {pool}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>alert {alert}</source>
            <translation>Alarm {alert}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>pool {pool}</source>
            <translation>Pool {pool}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>GiB in use</source>
            <translation>GiB belegt</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>Busy %</source>
            <translation>Last %</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>Memory and load in the last minute</source>
            <translation>Speicher und Last in der letzten Minute</translation>
        </message>
        <message>
            <location filename="../../gui/plots/device_plot.py"></location>
            <source>{seconds:.0f} s</source>
            <translation>{seconds:.0f} s</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>Left and Right move the token cap by 1 %, with Shift by 10 %; End puts it at the limit.</source>
            <translation>Links und Rechts bewegen die Token-Grenze um 1 %, mit Umschalt um 10 %; Ende setzt sie auf das Limit.</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>{tokens}: peak {peak_bytes}, forecast {error_text} off</source>
            <translation>{tokens}: Spitze {peak_bytes}, Prognose {error_text} daneben</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>measured on {source}</source>
            <translation>gemessen auf {source}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>Peak memory (GiB)</source>
            <translation>Spitzenspeicher (GiB)</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>Forecast plot</source>
            <translation>Prognose-Diagramm</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>cap {token_cap:,}</source>
            <translation>Grenze {token_cap:,}</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>limit {limit:,} →</source>
            <translation>Limit {limit:,} →</translation>
        </message>
        <message>
            <location filename="../../gui/plots/forecast_plot.py"></location>
            <source>This curve is of the earlier choice.</source>
            <translation>Diese Kurve gehört zur früheren Wahl.</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Press Profile (F5) to run real passes.
What they take is drawn here while they run.</source>
            <translation>„Profil aufnehmen“ (F5) führt echte Durchläufe aus.
Was sie belegen, wird hier währenddessen gezeichnet.</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source> refused</source>
            <translation> abgelehnt</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source> out of memory</source>
            <translation> Speicher voll</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>: {requested_bytes} asked, {free_bytes} free</source>
            <translation>: {requested_bytes} verlangt, {free_bytes} frei</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Seconds since the run began</source>
            <translation>Sekunden seit Beginn des Laufs</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Memory (GiB)</source>
            <translation>Speicher (GiB)</translation>
        </message>
        <message>
            <location filename="../../gui/plots/live_plot.py"></location>
            <source>Live memory plot</source>
            <translation>Live-Diagramm des Speichers</translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>hatched: {total} that stay free for the driver</source>
            <translation>Schraffiert: {total}, die für den Treiber frei bleiben</translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>{text}.
The mouse takes whole steps, the arrow keys 64 MiB.</source>
            <translation>{text}.
Die Maus geht in ganzen Schritten, die Pfeiltasten um 64 MiB.</translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>{pool} of at most {most}; {text}</source>
            <translation>{pool} von höchstens {most}; {text}</translation>
        </message>
        <message>
            <location filename="../../gui/pool_slider.py"></location>
            <source>the mark below: {free} free now</source>
            <translation>die Marke unten: {free} jetzt frei</translation>
        </message>
        <message>
            <location filename="../../gui/present_menu.py"></location>
            <source>Present</source>
            <translation>Vorführen</translation>
        </message>
        <message>
            <location filename="../../gui/present_menu.py"></location>
            <source>Add a step</source>
            <translation>Schritt hinzufügen</translation>
        </message>
        <message>
            <location filename="../../gui/present_menu.py"></location>
            <source>Edit script…</source>
            <translation>Skript bearbeiten…</translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Presenter</source>
            <translation>Vorführung</translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Presenting; Esc leaves – vramtuner</source>
            <translation>Vorführung; Esc beendet – vramtuner</translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Status</source>
            <translation>Status</translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Caption of the step</source>
            <translation>Beschriftung des Schritts</translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Step</source>
            <translation>Schritt</translation>
        </message>
        <message>
            <location filename="../../gui/presenter.py"></location>
            <source>Cannot be shown</source>
            <translation>Kann nicht gezeigt werden</translation>
        </message>
        <message>
            <location filename="../../gui/recent.py"></location>
            <source>&amp;Clear</source>
            <translation>&amp;Leeren</translation>
        </message>
        <message>
            <location filename="../../gui/search_box.py"></location>
            <source>{name}, type to search</source>
            <translation>{name}, zum Suchen tippen</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Sessions (*{suffix});;All files (*)</source>
            <translation>Sitzungen (*{suffix});;Alle Dateien (*)</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>{file}{escaped} on {escaped2}{mark} – vramtuner</source>
            <translation>{file}{escaped} auf {escaped2}{mark} – vramtuner</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>{name} on {value}</source>
            <translation>{name} auf {value}</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Open &amp;session…</source>
            <translation>&amp;Sitzung öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Sa&amp;ve session</source>
            <translation>Sitzung s&amp;peichern</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Save session &amp;as…</source>
            <translation>Sitzung speichern &amp;unter…</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>&amp;Recent models</source>
            <translation>&amp;Zuletzt benutzte Modelle</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Recent sessio&amp;ns</source>
            <translation>Zuletzt benutzte S&amp;itzungen</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Save the session</source>
            <translation>Sitzung speichern</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Open a session</source>
            <translation>Sitzung öffnen</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>A window ended before its changes were saved: {what}, {when}.</source>
            <translation>Ein Fenster endete, bevor seine Änderungen gespeichert waren: {what}, {when}.</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>{path} exists already; choose it by its whole name to replace it</source>
            <translation>{path} gibt es schon; mit vollem Namen wählen, um sie zu ersetzen</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Saving asks for a new file.</source>
            <translation>Speichern fragt nach einer neuen Datei.</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>these changes cannot be recovered: {strerror}; perhaps another window has them</source>
            <translation>diese Änderungen können nicht wiederhergestellt werden: {strerror}; vielleicht hat ein anderes Fenster sie</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>changes are not kept against a sudden end: {error}</source>
            <translation>Änderungen sind nicht gegen ein plötzliches Ende gesichert: {error}</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Re&amp;cover</source>
            <translation>Wiederherstellen</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Open them here; Undo goes back</source>
            <translation>Hier öffnen; Rückgängig führt zurück</translation>
        </message>
        <message>
            <location filename="../../gui/sessions.py"></location>
            <source>Delete them for good</source>
            <translation>Für immer löschen</translation>
        </message>
        <message>
            <location filename="../../gui/stage.py"></location>
            <source>{name}, was {before}</source>
            <translation>{name}, vorher {before}</translation>
        </message>
        <message>
            <location filename="../../gui/stage.py"></location>
            <source>{value}, was {before}</source>
            <translation>{value}, vorher {before}</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Profile cancelled.</source>
            <translation>Profil abgebrochen.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Cancelled; the limit was not confirmed.</source>
            <translation>Abgebrochen; das Limit wurde nicht bestätigt.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Export cancelled; nothing was written.</source>
            <translation>Export abgebrochen; nichts wurde geschrieben.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Cancelled; the tapes that were recorded until then are kept.</source>
            <translation>Abgebrochen; was bis dahin aufgezeichnet ist, bleibt.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Recording the tape of {name} under these levers…</source>
            <translation>{name} wird unter diesen Hebeln aufgezeichnet…</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>{name} is not in this machine; choose the CPU stand-in to run passes here</source>
            <translation>{name} ist nicht in diesem Rechner; den CPU-Ersatz wählen, um Durchläufe hier auszuführen</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>there is no forecast of these levers yet</source>
            <translation>für diese Hebel gibt es noch keine Prognose</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>not even one token fits; lower the memory or raise the pool</source>
            <translation>nicht einmal ein Token passt; den Speicher senken oder den Pool erhöhen</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Working out {name} under these levers…</source>
            <translation>{name} wird unter diesen Hebeln berechnet…</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>The tape of these levers is recorded when the {before} have ended.</source>
            <translation>Diese Hebel werden aufgezeichnet, wenn die {before} beendet sind.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>passes of a GGUF file need llama.cpp, which is not run here</source>
            <translation>Durchläufe einer GGUF-Datei brauchen llama.cpp, das hier nicht ausgeführt wird</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>{name} is not in this machine any more; bring it back, or choose another device</source>
            <translation>{name} ist nicht mehr in diesem Rechner; zurückbringen oder ein anderes Gerät wählen</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>The recording was cancelled. Undo, or move a lever to try again.</source>
            <translation>Die Aufzeichnung wurde abgebrochen. Rückgängig machen oder einen Hebel bewegen, um es neu zu versuchen.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Wrote {path}, marked “not validated”.</source>
            <translation>{path} geschrieben, als „nicht validiert“ gekennzeichnet.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>tapes of the matrix</source>
            <translation>Aufzeichnungen der Matrix</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>passes</source>
            <translation>Durchläufe</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>no forecast of these levers: {error}</source>
            <translation>keine Prognose für diese Hebel: {error}</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Nothing was written: {verdict}</source>
            <translation>Nichts wurde geschrieben: {verdict}</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>nothing can be validated: {reason}</source>
            <translation>nichts kann validiert werden: {reason}</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>Validated, and wrote {path}.</source>
            <translation>Validiert und {path} geschrieben.</translation>
        </message>
        <message>
            <location filename="../../gui/state.py"></location>
            <source>validation failed and nothing was written: {problem}</source>
            <translation>die Validierung schlug fehl, und nichts wurde geschrieben: {problem}</translation>
        </message>
        <message>
            <location filename="../../gui/tables.py"></location>
            <source>Copy rows</source>
            <translation>Zeilen kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/theme.py"></location>
            <source>&amp;Light</source>
            <translation>&amp;Hell</translation>
        </message>
        <message>
            <location filename="../../gui/theme.py"></location>
            <source>&amp;Dark</source>
            <translation>&amp;Dunkel</translation>
        </message>
        <message>
            <location filename="../../gui/unsaved.py"></location>
            <source>Changes are not saved</source>
            <translation>Änderungen sind nicht gespeichert</translation>
        </message>
        <message>
            <location filename="../../gui/unsaved.py"></location>
            <source>They are lost otherwise.</source>
            <translation>Sonst gehen sie verloren.</translation>
        </message>
        <message>
            <location filename="../../gui/unsaved.py"></location>
            <source>Save this session with its pinned plans and its script?</source>
            <translation>Diese Sitzung mit ihren angehefteten Plänen und ihrem Skript speichern?</translation>
        </message>
        <message>
            <location filename="../../gui/unsaved.py"></location>
            <source>Save the changes to {name}?</source>
            <translation>Änderungen an {name} speichern?</translation>
        </message>
        <message>
            <location filename="../../gui/unsaved.py"></location>
            <source>&amp;Save</source>
            <translation>&amp;Speichern</translation>
        </message>
        <message>
            <location filename="../../gui/unsaved.py"></location>
            <source>&amp;Discard</source>
            <translation>&amp;Verwerfen</translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>spread of {heights} passes</source>
            <translation>Streuung von {heights} Durchläufen</translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>standard error of the calibration</source>
            <translation>Standardfehler der Kalibrierung</translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source> · about {seconds_left:.0f} s left</source>
            <translation> · noch etwa {seconds_left:.0f} s</translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>, weights: synthetic</source>
            <translation>, Gewichte: synthetisch</translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>held most then:</source>
            <translation>hielten da am meisten:</translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>Profile: </source>
            <translation>Profil: </translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>Limit: </source>
            <translation>Limit: </translation>
        </message>
        <message>
            <location filename="../../gui/values.py"></location>
            <source>Validation: </source>
            <translation>Validierung: </translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{hardware} Presets and GGUF files can be forecast now; your own models and real passes need PyTorch, which is not installed.</source>
            <translation>{hardware} Vorlagen und GGUF-Dateien können jetzt vorhergesagt werden; eigene Modelle und echte Durchläufe brauchen PyTorch, das nicht installiert ist.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Uses the network: downloads {size} into this copy's .venv, as `{command}` does. You can cancel it.</source>
            <translation>Benutzt das Netz: lädt {size} in die .venv dieser Kopie, wie `{command}` es tut. Kann abgebrochen werden.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{found}; you plan for a {name}{whence}.</source>
            <translation>{found}; geplant wird für {name}{whence}.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Install PyTorch…</source>
            <translation>PyTorch installieren…</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Install PyTorch (CPU build)…</source>
            <translation>PyTorch installieren (CPU-Build)…</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>several GB where ROCm is installed, else a few hundred MB</source>
            <translation>mehrere GB, wo ROCm installiert ist, sonst einige Hundert MB</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>a few hundred MB</source>
            <translation>einige Hundert MB</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>the CPU stand-in</source>
            <translation>der CPU-Ersatz</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{name} is not in this machine; real passes of {name2} can be run on {here}.</source>
            <translation>{name} ist nicht in diesem Rechner; echte Durchläufe von {name2} gehen hier: {here}.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Take {here}</source>
            <translation>{here} nehmen</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{gpu} was found.</source>
            <translation>{gpu} wurde gefunden.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{gpu} was found</source>
            <translation>{gpu} wurde gefunden</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>No AMD GPU was found</source>
            <translation>Keine AMD-GPU wurde gefunden</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{found}; passes run on the CPU stand-in.</source>
            <translation>{found}; Durchläufe gehen auf dem CPU-Ersatz.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>The folder of {name} is not there any more; its forecast stays until you open another model.</source>
            <translation>Der Ordner von {name} ist nicht mehr da; die Prognose bleibt, bis ein anderes Modell geöffnet wird.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Open a model folder…</source>
            <translation>Modellordner öffnen…</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{hardware} Any card of the list can be planned for.</source>
            <translation>{hardware} Für jede Karte der Liste kann geplant werden.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Choose a card to plan for</source>
            <translation>Karte zum Planen wählen</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Search the device list by name, gfx target or memory</source>
            <translation>Die Geräteliste nach Namen, gfx-Ziel oder Speicher durchsuchen</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>{hardware} {name} is a preset of published facts; a folder of your own has exact weights.</source>
            <translation>{hardware} {name} ist eine Vorlage aus veröffentlichten Angaben; ein eigener Ordner hat genaue Gewichte.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>A folder with config.json and safetensors files; a folder or a GGUF file can also be dropped here</source>
            <translation>Ein Ordner mit config.json und safetensors-Dateien; ein Ordner oder eine GGUF-Datei kann auch hierher gezogen werden</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Copy the command</source>
            <translation>Befehl kopieren</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Paste it into a terminal</source>
            <translation>In ein Terminal einfügen</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Passes of GGUF files are not run here; what llama.cpp plans for {name} on {name2} can be exported.</source>
            <translation>Durchläufe von GGUF-Dateien gehen hier nicht; was llama.cpp für {name} auf {name2} plant, kann exportiert werden.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Write these levers as an env file (Ctrl+E)</source>
            <translation>Diese Hebel als Env-Datei schreiben (Strg+E)</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Everything is here: {name}, {device} and PyTorch. Real passes show how right the forecast is.</source>
            <translation>Alles ist da: {name}, {device} und PyTorch. Echte Durchläufe zeigen, wie richtig die Prognose ist.</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source>Profile (F5)</source>
            <translation>Profil aufnehmen (F5)</translation>
        </message>
        <message>
            <location filename="../../gui/welcome.py"></location>
            <source> from the catalogue</source>
            <translation> aus dem Katalog</translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Fo&amp;recast</source>
            <translation>Prog&amp;nose</translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>L&amp;ive</source>
            <translation>L&amp;ive</translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Matrix</source>
            <translation>Matrix</translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Diagnose</source>
            <translation>Diagnose</translation>
        </message>
        <message>
            <location filename="../../gui/window.py"></location>
            <source>Plots</source>
            <translation>Diagramme</translation>
        </message>
    </context>
</TS>
