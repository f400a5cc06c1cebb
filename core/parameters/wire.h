// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/coordinator/types.h"

#include "core/parameters/parameters.pb.h"

namespace cannery::parameters {

wire::Problem problemOf(const Error& error);
Error errorOf(const wire::Problem& message);

wire::Hello helloOf(const coordinator::MemberIdentity& identity);
coordinator::MemberIdentity identityOf(const wire::Hello& message);

wire::End endOf(const coordinator::JobEnd& end);
coordinator::JobEnd endOf(const wire::End& message);

} // namespace cannery::parameters
