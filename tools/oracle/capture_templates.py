#!/usr/bin/env python3
"""Renders chat templates with Python's jinja2, in the set-up that they are written for.

    python3 tools/oracle/capture_templates.py [--check]

writes tests/golden/templates/expected.json from the conversations and the feature templates there and from the
templates of the two checkpoints in models/, whose texts it stores beside it, and of the families whose template lies
there already; all templates also become the corpus of
the fuzzer. --check compares instead of writing.
"""
import argparse
import datetime
import json
import pathlib
import platform
import struct
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "templates"
CORPUS = ROOT / "tests" / "fuzz" / "corpus" / "chat_template"
MODELS = {
    "smollm2": ROOT / "models" / "SmolLM2-135M-Instruct-Q4_1.gguf",
    "qwen2.5-coder": ROOT / "models" / "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf",
}
FAMILIES = {"gemma-3": {"bos_token": "<bos>", "eos_token": "<eos>"}}  # tests/golden/templates/<name>.jinja
NOW = datetime.datetime(2026, 3, 5, 14, 7, 9)  # what strftime_now tells


class Generation(jinja2.ext.Extension):
    """{% generation %}…{% endgeneration %}: marks for training what the assistant said; prints its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    """As transformers' apply_chat_template makes it, but with lists and dicts that a template may change."""

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    env = jinja2.sandbox.SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                              extensions=[jinja2.ext.loopcontrols, Generation])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def render(env, template, conversation, tokens):
    """{"text": …} or {"error": the exception's message}."""
    try:
        # A copy: templates may change what they are given.
        given = json.loads(json.dumps(conversation))
        variables = {"messages": given["messages"], "tools": given.get("tools"), "documents": None,
                     "add_generation_prompt": given["add_generation_prompt"], **tokens, **given.get("variables", {})}
        return {"text": env.from_string(template).render(**variables)}
    except Exception as error:  # whatever a template may raise
        return {"error": str(error)}


def read_metadata(path):
    """The metadata of a GGUF file."""
    scalars = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
    with open(path, "rb") as file:

        def scalar(code):
            return struct.unpack("<" + code, file.read(struct.calcsize("<" + code)))[0]

        def string():
            return file.read(scalar("Q")).decode("utf-8", "surrogateescape")

        def value(kind):
            if kind == 8:
                return string()
            if kind == 9:
                element, count = scalar("I"), scalar("Q")
                return [value(element) for _ in range(count)]
            return scalar(scalars[kind])

        if file.read(4) != b"GGUF":
            sys.exit(f"{path} is not a GGUF file")
        scalar("I"), scalar("Q")
        return {string(): value(scalar("I")) for _ in range(scalar("Q"))}


def special_tokens(metadata):
    tokens = metadata["tokenizer.ggml.tokens"]
    return {name: tokens[metadata[f"tokenizer.ggml.{name}_id"]] for name in ("bos_token", "eos_token")
            if f"tokenizer.ggml.{name}_id" in metadata}


def capture():
    """Path -> text of everything that is captured."""
    env = environment()
    conversations = json.loads((GOLDEN / "conversations.json").read_text())
    features = json.loads((GOLDEN / "features.json").read_text())
    files = {}
    expected = {"jinja2": jinja2.__version__, "python": platform.python_version(),
                "command": "python3 tools/oracle/capture_templates.py", "features": {}, "models": {}}
    tokens = {"bos_token": "<s>", "eos_token": "</s>"}
    for feature in features:
        files[CORPUS / feature["name"]] = feature["template"]
        conversation = {**conversations[0], "variables": feature.get("variables", {})}
        expected["features"][feature["name"]] = render(env, feature["template"], conversation, tokens)
    for name, path in MODELS.items():
        metadata = read_metadata(path)
        template = metadata["tokenizer.chat_template"]
        files[GOLDEN / f"{name}.jinja"] = files[CORPUS / name] = template
        tokens = special_tokens(metadata)
        expected["models"][name] = {
            **tokens, "prompts": {c["name"]: render(env, template, c, tokens) for c in conversations}}
    for name, tokens in FAMILIES.items():
        template = files[CORPUS / name] = (GOLDEN / f"{name}.jinja").read_text()
        expected["models"][name] = {
            **tokens, "prompts": {c["name"]: render(env, template, c, tokens) for c in conversations}}
    files[GOLDEN / "expected.json"] = json.dumps(expected, ensure_ascii=False, indent=1) + "\n"
    return files


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    different = []
    for path, text in capture().items():
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        elif not path.exists() or path.read_bytes() != text.encode():
            different.append(str(path.relative_to(ROOT)))
    if different:
        sys.exit("differ from what jinja2 gives: " + ", ".join(different))


if __name__ == "__main__":
    main()
