// SPDX-License-Identifier: Apache-2.0
#include "core/graph/layer_graph.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;

class TstLayerGraph : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void makesColumnNamesSafeForScopes();
};

void TstLayerGraph::makesColumnNamesSafeForScopes()
{
    QCOMPARE(graph::scopeSafe("education_X_job"), std::string("education_X_job"));
    QCOMPARE(graph::scopeSafe("capital gain/loss"), std::string("capital_gain_loss"));
    QCOMPARE(graph::scopeSafe("a.b-c"), std::string("a.b-c"));
    QCOMPARE(graph::scopeSafe("größe"), std::string("gr____e"));
}

CANNERY_TEST(TstLayerGraph)
#include "tst_layer_graph.moc"
