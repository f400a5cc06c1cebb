// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <QTest>

/// Fails the test with the error's message when the result has none.
#define VERIFY_OK(result)                                                                          \
    do {                                                                                           \
        const auto& verifyOkResult = (result);                                                     \
        QVERIFY2(verifyOkResult.has_value(),                                                       \
                 verifyOkResult ? "" : verifyOkResult.error().message().c_str());                  \
    } while (false)

/// Fails unless the result is an error with this id.
#define VERIFY_ERROR(result, expectedId)                                                           \
    do {                                                                                           \
        const auto& verifyErrorResult = (result);                                                  \
        QVERIFY2(!verifyErrorResult.has_value(), "expected an error, got a value");                \
        QCOMPARE(QString::fromStdString(verifyErrorResult.error().id), QString(expectedId));       \
    } while (false)
