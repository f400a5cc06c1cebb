// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/pages/features_bench.h"

#include "tests/support/patience.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/feature_list_model.h"

#include <QItemSelectionModel>
#include <QListWidget>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

namespace cannery::tests {

namespace {

QByteArray passengerTable()
{
    QByteArray quantiles;
    for (int i = 0; i <= 100; ++i) {
        quantiles += (i > 0 ? "," : "") + QByteArray::number(i);
    }
    return R"({"sources": {"train": {"rows": 627}, "eval": {"rows": 264}},
 "columns": [
  {"name": "survived", "type": "number", "use": "label", "distinct": 2,
   "histogram": {"labels": [], "counts": [384, 243]}},
  {"name": "sex", "type": "category", "use": "feature", "distinct": 2,
   "histogram": {"labels": ["male", "female"], "counts": [410, 217]}},
  {"name": "port", "type": "category", "use": "ignored", "distinct": 3,
   "histogram": {"labels": ["S", "C", "Q"], "counts": [400, 150, 77]}},
  {"name": "age", "type": "number", "use": "feature", "distinct": 76, "min": 0, "max": 100,
   "mean": 50, "sd": 20, "quantiles": [)" +
           quantiles + R"(],
   "histogram": {"begin": 0, "end": 100, "labels": [], "counts": [10, 40, 30, 20]}}],
 "texts": [],
 "inputs": [{"name": "sex", "column": "sex", "kind": "ids", "width": 2},
            {"name": "age_bucketized", "column": "age_buckets", "kind": "ids", "width": 7}],
 "rows": [{"sex": [0], "age_bucketized": [3]}],
 "label": "survived",
 "feature_columns": {"targets": ["1"], "targets_are": "shares", "columns": [
  {"column": "sex_x_class", "inputs": ["sex", "class"], "buckets": 50, "occurrences": 3,
   "distinct": 2, "distinct_is_exact": true, "buckets_used": 2, "shared": 0,
   "shared_occurrences": 0, "values": [
    {"values": ["male", "Third"], "count": 2, "bucket": 7, "shared": false, "label": [0.5]},
    {"values": ["female", "First"], "count": 1, "bucket": 6, "shared": false, "label": [1]}]}]}})";
}

} // namespace

QTableView* FeaturesBench::table() const
{
    return m_page->findChild<QTableView*>("table.features");
}

QByteArray FeaturesBench::text() const
{
    return document().text().toUtf8();
}

void FeaturesBench::start()
{
    m_bench = std::make_unique<PageBench>();
    m_bench->script("preview", passengerTable());
    m_page = m_bench->page("features");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QListWidget*>("list.columns")->count() == 3,
                             kPatience);
    inspector()->show();
    m_original = text();
    QVERIFY(m_original.contains("age_buckets"));
}

void FeaturesBench::end()
{
    m_bench.reset();
    m_page = nullptr;
}

void FeaturesBench::select(const QString& column)
{
    m_page->reveal("feature:" + column);
    QCOMPARE(selected(), column);
}

QString FeaturesBench::selected() const
{
    auto* model = qobject_cast<ui::FeatureListModel*>(table()->model());
    const QModelIndexList rows = table()->selectionModel()->selectedIndexes();
    const ui::FeatureFacts* feature = rows.isEmpty() ? nullptr : model->at(rows.first().row());
    return feature ? feature->name : QString();
}

void FeaturesBench::undoAll()
{
    QCOMPARE(document().undoStack()->count(), 1);
    document().undoStack()->undo();
    QCOMPARE(text(), m_original);
}

} // namespace cannery::tests
