"""Write a GGUF file with random weights: a language model of half a megabyte that babbles.

Run by a Python that has `gguf`: python tiny_model.py FILE
"""

import sys

import gguf
import numpy as np

WIDTH, HIDDEN, HEADS, CONTEXT = 64, 128, 4, 16384
SPECIAL = ["<unk>", "<s>", "</s>"]
TEMPLATE = "{% for message in messages %}{{ message.content }}\n{% endfor %}"


def write(path: str) -> None:
    """Write the same model every time."""
    rng = np.random.default_rng(3)
    tokens = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256

    def weights(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.2, shape).astype(np.float32)

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)
    ones = np.ones(WIDTH, dtype=np.float32)
    for name, tensor in {
        "token_embd": weights(len(tokens), WIDTH),
        "output_norm": ones,
        "output": weights(len(tokens), WIDTH),
        "blk.0.attn_norm": ones,
        "blk.0.attn_q": weights(WIDTH, WIDTH),
        "blk.0.attn_k": weights(WIDTH, WIDTH),
        "blk.0.attn_v": weights(WIDTH, WIDTH),
        "blk.0.attn_output": weights(WIDTH, WIDTH),
        "blk.0.ffn_norm": ones,
        "blk.0.ffn_gate": weights(HIDDEN, WIDTH),
        "blk.0.ffn_up": weights(HIDDEN, WIDTH),
        "blk.0.ffn_down": weights(WIDTH, HIDDEN),
    }.items():
        writer.add_tensor(f"{name}.weight", tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(sys.argv[1])
