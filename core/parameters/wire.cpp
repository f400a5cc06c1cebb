// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/wire.h"

namespace cannery::parameters {

wire::Problem problemOf(const Error& error)
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

Error errorOf(const wire::Problem& message)
{
    Error error;
    error.code = static_cast<ErrorCode>(message.code());
    error.id = message.id();
    error.arguments.assign(message.argument().begin(), message.argument().end());
    error.sentence = message.sentence();
    return error;
}

wire::Hello helloOf(const coordinator::MemberIdentity& identity)
{
    wire::Hello message;
    message.set_task(identity.task);
    message.set_rank(identity.rank);
    message.set_incarnation(identity.incarnation);
    message.set_version(identity.version);
    message.set_digest(identity.digest);
    message.set_experiment(identity.experiment);
    message.set_host(identity.host);
    message.set_token(identity.token);
    return message;
}

coordinator::MemberIdentity identityOf(const wire::Hello& message)
{
    return {.task = message.task(),
            .rank = message.rank(),
            .incarnation = message.incarnation(),
            .version = message.version(),
            .digest = message.digest(),
            .experiment = message.experiment(),
            .host = message.host(),
            .token = message.token()};
}

wire::End endOf(const coordinator::JobEnd& end)
{
    wire::End message;
    message.set_outcome(end.outcome == coordinator::Outcome::Done     ? wire::End::DONE
                        : end.outcome == coordinator::Outcome::Failed ? wire::End::FAILED
                                                                      : wire::End::STOPPING);
    message.set_reason(end.reason);
    return message;
}

coordinator::JobEnd endOf(const wire::End& message)
{
    return {.outcome = message.outcome() == wire::End::DONE     ? coordinator::Outcome::Done
                       : message.outcome() == wire::End::FAILED ? coordinator::Outcome::Failed
                                                                : coordinator::Outcome::Stopping,
            .reason = message.reason()};
}

} // namespace cannery::parameters
