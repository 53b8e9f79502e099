"""A model of the vendors' library for one request: the wire's client on our transport, its retries off.

The library knows many models by name and how each wants to be asked; what the models file says wins.

Touches: network.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any, Final

import httpx2
from pydantic_ai.models import Model as VendorModel
from pydantic_ai.profiles import ModelProfile

from hookspecs.definitions import Model
from pi_core.providers.connections import TIMEOUT
from pi_core.providers.vendors.compat import compat_of, host_of

PLACEHOLDER: Final = "set-by-the-transport"
"""Clients want a key; the transport puts the true one in, if there is one."""

HOMES: Final = {
    "openai-completions": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic-messages": "https://api.anthropic.com",
    "google-generative-ai": "https://generativelanguage.googleapis.com/v1beta",
}
"""Where the vendors themselves are, for models without an address."""


def key_headers(api: str, key: str | None) -> dict[str, str | None]:
    """How a wire wants its key; empty without one."""
    if key is None:
        return {}
    if api == "anthropic-messages":
        return {"X-Api-Key": key}
    return {"X-Goog-Api-Key": key} if api == "google-generative-ai" else {"Authorization": f"Bearer {key}"}


def vendor_model(model: Model, client: httpx2.AsyncClient) -> VendorModel[Any]:
    """The library's model. Each vendor's package is imported on first use: it takes up to a second."""
    builders: dict[str, Callable[[Model, str, httpx2.AsyncClient], VendorModel[Any]]] = {
        "openai-completions": _openai_chat,
        "openai-responses": _openai_responses,
        "anthropic-messages": _anthropic,
        "google-generative-ai": _google,
    }
    return builders[model.api](model, model.base_url or HOMES[model.api], client)


def _openai_chat(model: Model, base_url: str, client: httpx2.AsyncClient) -> VendorModel[Any]:
    # Imported here for start-up time, as the others below.
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    from pi_core.providers.vendors.chat import ChatModel

    compat = compat_of(model)
    profile = OpenAIModelProfile(
        json_schema_transformer=None,
        openai_supports_minimal_reasoning_effort=_is_openai(model, base_url),
        openai_chat_supports_max_completion_tokens=compat.max_tokens_field == "max_completion_tokens",
        openai_chat_streaming_requires_finish_reason=True,
        openai_supports_strict_tool_definition=False,
    )
    if model.reasoning and compat.supports_developer_role:
        profile["openai_system_prompt_role"] = "developer"
    provider = _openai(model, base_url, client)
    return ChatModel(model.id, provider=provider, profile=_able(profile, model))


def _openai_responses(model: Model, base_url: str, client: httpx2.AsyncClient) -> VendorModel[Any]:
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    profile = OpenAIModelProfile(
        json_schema_transformer=None,
        openai_supports_minimal_reasoning_effort=_is_openai(model, base_url),
        openai_supports_encrypted_reasoning_content=model.reasoning,
        openai_supports_strict_tool_definition=False,
    )
    provider = _openai(model, base_url, client)
    return OpenAIResponsesModel(model.id, provider=provider, profile=_able(profile, model))


def _is_openai(model: Model, base_url: str) -> bool:
    """Whether OpenAI itself answers, if through a proxy. Others know fewer of its words."""
    return model.provider == "openai" or host_of(base_url) == "api.openai.com"


def _openai(model: Model, base_url: str, http_client: httpx2.AsyncClient) -> Any:
    from openai import AsyncOpenAI
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = AsyncOpenAI(
        api_key=PLACEHOLDER, base_url=base_url, http_client=http_client, max_retries=0, timeout=TIMEOUT
    )
    if _is_openai(model, base_url):
        return OpenAIProvider(openai_client=client)
    return OpenAICompatibleProvider(model.provider, openai_client=client)


def _anthropic(model: Model, base_url: str, client: httpx2.AsyncClient) -> VendorModel[Any]:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.profiles.anthropic import AnthropicModelProfile
    from pydantic_ai.providers.anthropic import AnthropicProvider

    vendor = AsyncAnthropic(
        api_key=PLACEHOLDER, base_url=base_url, http_client=client, max_retries=0, timeout=TIMEOUT
    )
    profile = _able(AnthropicModelProfile(json_schema_transformer=None), model)
    return AnthropicModel(model.id, provider=AnthropicProvider(anthropic_client=vendor), profile=profile)


def _google(model: Model, base_url: str, client: httpx2.AsyncClient) -> VendorModel[Any]:
    from google.genai.client import Client
    from google.genai.types import HttpOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    # Never used, since all requests go through our client; without them two stores of certificates are
    # read for each request, 40 ms each.
    unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # A configured address ends with the version, as the vendor writes it.
    options = HttpOptions(
        client_args={"verify": unused},
        async_client_args={"verify": unused, "ssl": unused},
        base_url=base_url.rstrip("/") + "/",
        api_version="",
        httpx_async_client=client,
        timeout=int(1000 * (TIMEOUT.read or 0)),
    )
    vendor = Client(vertexai=False, api_key=PLACEHOLDER, http_options=options)
    profile = _able(ModelProfile(), model)
    return GoogleModel(model.id, provider=GoogleProvider(client=vendor), profile=profile)


def _able(profile: ModelProfile, model: Model) -> ModelProfile:
    """The profile with what the models file says of any model. A text is never rewritten on the way."""
    profile["supports_thinking"] = model.reasoning
    profile["supports_image_input"] = "image" in model.input
    profile["may_tokenize_special_tokens_in_content"] = False
    profile["default_framing_announcement"] = "never"
    return profile
