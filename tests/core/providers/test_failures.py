"""What the sentences of providers mean: too long, worth another try, out of money, or simply wrong."""

from __future__ import annotations

import pytest

from hookspecs.messages import AssistantMessage, StopReason, TextContent, Usage
from pi_core.agent.abortable import BROKEN_OFF
from pi_core.providers.failures import asked_delay_s, is_overflow, is_quota_text, is_retryable, status_of

TOO_LONG = """\
400: {"message":"This model's maximum context length is 1000 tokens. Your messages resulted in more."}
Error code: 400 - {'error': {'code': 'context_length_exceeded', 'type': 'invalid_request_error'}}
Your input exceeds the context window of this model. Please adjust your input and try again.
429 Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 61000.
{"error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}
400 input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length
413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}
413 status code (no body)
ValidationException: Input is too long for requested model.
The prompt is too long: 200000, model maximum context length: 131071
The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).
This model's maximum prompt length is 131072 but the request contains 537812 tokens.
400 prompt token count of 130001 exceeds the limit of 128000
Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)
invalid params, context window exceeds limit (2013)
Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length
Please reduce the length of the messages or completion.
<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]
too many tokens: total number of tokens in the prompt cannot exceed 4081
This endpoint's maximum context length is 8192 tokens. However, you requested about 9001 tokens.
the request exceeds the available context size (8192 tokens), try increasing it
{"error":{"code":400,"message":"request (9000 tokens) exceeds","type":"exceed_context_size_error"}}
The number of tokens to keep from the initial prompt is greater than the context length
prompt too long; exceeded max context length by 312 tokens
The decoder prompt (length 5000) is longer than the maximum model length of 4096.
The input (9000 tokens) is longer than the model's context length (8192 tokens).
Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens
Input validation error: `inputs` must have less than 1024 tokens. Given: 2000
Requested token count exceeds the model's maximum context length of 32768 tokens.
""".splitlines()

PASSING = f"""\
429 Rate limit reached for gpt-4o in organization org-1 on requests per min (RPM): Limit 3, Used 3.
429: {{"message":"Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000."}}
Error code: 500 - {{'error': {{'message': 'The server had an error while processing your request.'}}}}
The server is overloaded or not ready yet
{{"type":"error","error":{{"type":"overloaded_error","message":"Overloaded"}}}}
529 {{"type":"error","error":{{"type":"api_error","message":"x"}}}}
Overloaded
ThrottlingException: Too many tokens, please wait before trying again.
ThrottlingException: Too many requests, please wait before trying again.
503 The model is overloaded. Please try again later.
{{"error":{{"code":503,"message":"The model is currently unavailable","status":"UNAVAILABLE"}}}}
{{"error":{{"code":500,"message":"An internal error has occurred. Please retry","status":"INTERNAL"}}}}
429 Resource has been exhausted (e.g. check quota).
429 You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.
504 Deadline exceeded
status_code: 502, model_name: gpt-4o, body: <html>Bad Gateway</html>
{{"error":{{"code":503,"message":"Loading model","type":"unavailable_error"}}}}
llama runner process no longer running: connection refused
error: unexpected server status: llm server loading model
upstream connect error or disconnect/reset before headers. reset reason: connection failure
Connection error.
Connection reset by peer
Connection aborted
All connection attempts failed
Server disconnected without sending a response.
peer closed connection without sending complete message body (incomplete chunked read)
Request timed out.
ReadTimeout
The operation timed out
fetch failed
socket hang up
read ECONNRESET
getaddrinfo EAI_AGAIN api.example.com
[Errno -3] Temporary failure in name resolution
terminated
Premature close
stream ended before the answer was complete
HTTP/2 stream received GOAWAY
Provider returned error 524
520 status code (no body)
408 Request Timeout
Service Unavailable
Bad gateway
An error occurred while processing your request. You can retry your request.
{BROKEN_OFF}
""".splitlines()

NO_MONEY = """\
429 You exceeded your current quota, please check your plan and billing details.
Error code: 429 - {'error': {'type': 'insufficient_quota', 'code': 'insufficient_quota'}}
Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.
402 Payment Required
402 This request requires more credits, or fewer max_tokens.
Error: 402 {"message":"Insufficient Balance"}
You have reached your monthly spending limit
429 {"type":"usage_limit_reached","message":"The usage limit has been reached"}
Your account has insufficient funds
429 Quota exceeded for this billing period
You've hit your weekly limit
""".splitlines()

WRONG = """\
401 Incorrect API key provided
400 Invalid value for 'timeout': must be a number
403 Your network is not allowed to use this model
404 The model `gpt-9` does not exist
422 Unprocessable Entity
The model refused: the answer has 500 tokens
max_tokens must be less than 429 tokens
Unsupported parameter: 'max_tokens' is not supported with this model.
there is no key for openai
the script has 2 turns, and this is request 3
""".splitlines()


def failed(text: str) -> AssistantMessage:
    return AssistantMessage(stop_reason="error", error_message=text)


@pytest.mark.parametrize("text", TOO_LONG)
def test_too_long(text: str) -> None:
    """A request that does not fit is not tried again as it is."""
    assert is_overflow(failed(text), 1000)
    assert not is_retryable(failed(text), 1000)


@pytest.mark.parametrize("text", PASSING)
def test_passing(text: str) -> None:
    """Load, limits a minute, servers and networks: the same request may succeed in a moment."""
    assert is_retryable(failed(text), 1000)
    assert not is_overflow(failed(text), 1000)


@pytest.mark.parametrize("text", NO_MONEY)
def test_no_money(text: str) -> None:
    """An account with nothing left has nothing in a moment either, whatever the status."""
    assert is_quota_text(text)
    assert not is_retryable(failed(text), 1000)


@pytest.mark.parametrize("text", WRONG)
def test_wrong(text: str) -> None:
    """What is wrong with the request itself stays wrong; numbers and words in passing mean nothing."""
    assert not is_retryable(failed(text), 1000)
    assert not is_overflow(failed(text), 1000)
    assert not is_quota_text(text)


@pytest.mark.parametrize("stop", ["stop", "aborted", "length", "toolUse"])
def test_only_failures_are_tried_again(stop: StopReason) -> None:
    """An answer that came, or that the person stopped, is final."""
    message = AssistantMessage(stop_reason=stop, error_message="overloaded")
    assert not is_retryable(message, 1000)


@pytest.mark.parametrize(
    ("expected", "message", "window"),
    [
        (True, AssistantMessage(usage=Usage(input=900, cache_read=101, output=5)), 1000),
        (False, AssistantMessage(usage=Usage(input=900, cache_read=100, output=5)), 1000),
        (False, AssistantMessage(usage=Usage(input=9000)), 0),
        (False, AssistantMessage(usage=Usage(input=9000)), None),
        (True, AssistantMessage(stop_reason="length", usage=Usage(input=900)), 1000),
        (False, AssistantMessage(stop_reason="length", usage=Usage(input=900, output=9)), 1000),
        (False, AssistantMessage(stop_reason="aborted", usage=Usage(input=9000)), 1000),
        (False, AssistantMessage(stop_reason="error", usage=Usage(input=9000)), 1000),
    ],
)
def test_some_servers_do_not_say_it(expected: bool, message: AssistantMessage, window: int | None) -> None:
    """More was read than the window has, or there was no room for a single word."""
    assert expected is is_overflow(message, window)


def test_an_answer_that_was_cut_is_no_overflow() -> None:
    """A server that counts nothing and stops for length has at least answered."""
    cut = AssistantMessage(stop_reason="length", content=[TextContent(text="half")])
    assert not is_overflow(cut, 1000)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (34.07, "Please retry in 34.07s."),
        (20.0, "Please try again in 20s. Visit https://example.com/rate-limits"),
        (0.27, "Please try again in 270ms."),
        (360.0, "Please try again in 6m0s."),
        (63.5, "try again in 1m3.5s"),
        (7.0, "retry-after: 7"),
        (30.0, "Please wait 30 seconds and retry"),
        (None, "Please try again later."),
        (None, "Please wait before trying again."),
        (None, "overloaded"),
    ],
)
def test_a_wait_that_is_asked_for(expected: float | None, text: str) -> None:
    """Seconds, minutes and milliseconds, where the text says how long."""
    assert expected == asked_delay_s(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (429, "429 Too Many Requests"),
        (400, "400: {}"),
        (500, "Error code: 500 - {}"),
        (502, "status_code: 502, body"),
        (503, '{"error":{"code":503}}'),
        (504, "HTTP/1.1 504 Gateway"),
        (None, "the limit is 500 tokens"),
        (None, "5000 tokens"),
        (None, "429 tokens are left"),
    ],
)
def test_a_status_is_a_number_that_stands_as_one(expected: int | None, text: str) -> None:
    """At the beginning, or behind a word for it."""
    assert expected == status_of(text)
