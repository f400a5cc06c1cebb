// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tensorflow_names.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;

class TstScopeSafe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void makesColumnNamesSafeForScopes();
};

void TstScopeSafe::makesColumnNamesSafeForScopes()
{
    QCOMPARE(spec::scopeSafe("education_X_job"), std::string("education_X_job"));
    QCOMPARE(spec::scopeSafe("capital gain/loss"), std::string("capital_gain_loss"));
    QCOMPARE(spec::scopeSafe("a.b-c"), std::string("a.b-c"));
    QCOMPARE(spec::scopeSafe("größe"), std::string("gr____e"));
}

CANNERY_TEST(TstScopeSafe)
#include "tst_scope_safe.moc"
