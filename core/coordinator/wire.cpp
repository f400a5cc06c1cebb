// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/wire.h"

namespace cannery::coordinator {

wire::Problem toWire(const Error& error)
{
    wire::Problem message;
    message.set_code(static_cast<int>(error.code));
    message.set_id(error.id);
    for (const std::string& argument : error.arguments) {
        message.add_argument(argument);
    }
    message.set_sentence(error.sentence);
    return message;
}

Error fromWire(const wire::Problem& message)
{
    Error error;
    error.code = static_cast<ErrorCode>(message.code());
    error.id = message.id();
    error.arguments.assign(message.argument().begin(), message.argument().end());
    error.sentence = message.sentence();
    return error;
}

namespace {

Generation generationOf(const wire::Generation& message)
{
    return {.number = message.number(),
            .rank = message.rank(),
            .size = message.host_size(),
            .hosts = {message.host().begin(), message.host().end()}};
}

/// Fills the message with one kind of news.
struct Writer
{
    wire::News& message;

    void operator()(const Welcome& news) const
    {
        message.mutable_welcome()->set_unix_time_ms(news.unixTimeMs);
    }
    void operator()(const Refused& news) const { *message.mutable_refused() = toWire(news.error); }
    void operator()(const Formed& news) const
    {
        wire::Generation& formed = *message.mutable_formed();
        formed.set_number(news.generation.number);
        formed.set_rank(news.generation.rank);
        for (const std::string& host : news.generation.hosts) {
            formed.add_host(host);
        }
    }
    void operator()(const Broken& news) const { message.set_broken(news.generation); }
    void operator()(const Ended& news) const { *message.mutable_ended() = toWire(news.end); }
    void operator()(const Pulse&) const { message.mutable_pulse(); }
    void operator()(const Value& news) const
    {
        message.mutable_value()->set_request(news.request);
        if (news.bytes) {
            message.mutable_value()->set_value(*news.bytes);
        }
    }
};

} // namespace

wire::News toWire(const News& news)
{
    wire::News message;
    std::visit(Writer{message}, news);
    return message;
}

std::optional<News> fromWire(const wire::News& message)
{
    switch (message.kind_case()) {
    case wire::News::kWelcome:
        return Welcome{message.welcome().unix_time_ms()};
    case wire::News::kRefused:
        return Refused{fromWire(message.refused())};
    case wire::News::kFormed:
        return Formed{generationOf(message.formed())};
    case wire::News::kBroken:
        return Broken{message.broken()};
    case wire::News::kEnded:
        return Ended{fromWire(message.ended())};
    case wire::News::kPulse:
        return Pulse{};
    case wire::News::kValue: {
        Value value{.request = message.value().request(), .bytes = std::nullopt};
        if (message.value().has_value()) {
            value.bytes = message.value().value();
        }
        return value;
    }
    case wire::News::KIND_NOT_SET:
        break;
    }
    return std::nullopt;
}

wire::Hello toWire(const MemberIdentity& identity, bool isReturning)
{
    wire::Hello message;
    message.set_task(identity.task);
    message.set_rank(identity.rank);
    message.set_incarnation(identity.incarnation);
    message.set_version(identity.version);
    message.set_digest(identity.digest);
    message.set_experiment(identity.experiment);
    message.set_host(identity.host);
    message.set_unix_time_ms(identity.unixTimeMs);
    message.set_token(identity.token);
    message.set_is_returning(isReturning);
    return message;
}

MemberIdentity fromWire(const wire::Hello& message)
{
    return {.task = message.task(),
            .rank = message.rank(),
            .incarnation = message.incarnation(),
            .version = message.version(),
            .digest = message.digest(),
            .experiment = message.experiment(),
            .host = message.host(),
            .unixTimeMs = message.unix_time_ms(),
            .token = message.token()};
}

wire::End toWire(const JobEnd& end)
{
    wire::End message;
    message.set_outcome(end.outcome == Outcome::Failed     ? wire::End::FAILED
                        : end.outcome == Outcome::Stopping ? wire::End::STOPPING
                                                           : wire::End::DONE);
    message.set_reason(end.reason);
    return message;
}

JobEnd fromWire(const wire::End& message)
{
    return {.outcome = message.outcome() == wire::End::FAILED     ? Outcome::Failed
                       : message.outcome() == wire::End::STOPPING ? Outcome::Stopping
                                                                  : Outcome::Done,
            .reason = message.reason()};
}

wire::Beat toWire(const Stuck& stuck)
{
    wire::Beat message;
    message.set_stuck_generation(stuck.generation);
    message.set_awaited_rank(stuck.rank);
    return message;
}

Stuck fromWire(const wire::Beat& message)
{
    return {.generation = message.stuck_generation(), .rank = message.awaited_rank()};
}

wire::Step toWire(const StepTimes& times)
{
    wire::Step message;
    message.set_step(times.step);
    message.set_compute_seconds(times.computeSeconds);
    message.set_wait_seconds(times.waitSeconds);
    return message;
}

StepTimes fromWire(const wire::Step& message)
{
    return {.step = message.step(),
            .computeSeconds = message.compute_seconds(),
            .waitSeconds = message.wait_seconds()};
}

} // namespace cannery::coordinator
