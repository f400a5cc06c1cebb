// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "tests/ui/pages/page_bench.h"

#include <QByteArray>
#include <QObject>
#include <QString>

#include <memory>

class QTableView;

namespace cannery::ui {
class ExperimentDocument;
} // namespace cannery::ui

namespace cannery::tests {

/// The Features page on a copy of the Titanic example, whose table is scripted: sex, port and age
/// beside the label. A base for test classes, which call start() and end() around each test.
class FeaturesBench : public QObject
{
    Q_OBJECT

protected:
    void start();
    void end();

    QTableView* table() const;
    QWidget* inspector() const { return m_page->inspector(); }
    ui::ExperimentDocument& document() const { return m_bench->session().document(); }
    QByteArray text() const;
    void select(const QString& column);
    QString selected() const;
    /// One step brings every byte back.
    void undoAll();

    std::unique_ptr<PageBench> m_bench;
    ui::Page* m_page = nullptr;
    QByteArray m_original;
};

} // namespace cannery::tests
