// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_offers.h"
#include "ui/models/hashed_facts.h"
#include "ui/models/tables/column_facts.h"

#include <QObject>

#include <memory>

class QMenu;

namespace cannery::ui {

class ExperimentDocument;
struct ExperimentReading;
class Toaster;

/// What is done to the feature columns of the open experiment, each one undo step. GUI thread.
class FeatureCommands : public QObject
{
    Q_OBJECT

public:
    FeatureCommands(ExperimentDocument& document, Toaster& toaster, QObject* parent = nullptr);

    void setData(const DataFacts& data) { m_data = data; }
    const DataFacts& data() const { return m_data; }
    /// What the training rows have of the hashed and crossed columns.
    void setHashed(const QHash<QString, HashedFacts>& hashed) { m_hashed = hashed; }
    const QHash<QString, HashedFacts>& hashed() const { return m_hashed; }
    /// Why the engine could not make feature columns, by the path of the field.
    void setProblems(const QHash<QString, QString>& problems) { m_problems = problems; }
    /// Of a field in the message at a path; empty if there is none.
    QString problemOf(const QString& path) const;
    /// How many ids the engine has found in feature columns.
    void setWidths(const QHash<QString, qint64>& widths) { m_widths = widths; }
    /// What a new column is made of.
    void setRawColumn(const QString& column) { m_rawColumn = column; }
    void setFeatureColumn(const QString& column) { m_featureColumn = column; }
    /// Which of the two was chosen last: a new column is made of that one.
    void setRawLast(bool isRawLast) { m_isRawLast = isRawLast; }
    OfferSource source() const;
    /// The fields of the newest text, which the document may still be reading.
    const FieldNode& newest();

    /// `selected`: the one to select then; the first if empty.
    void add(const QList<NewColumn>& wanted, const QString& selected = {});
    /// What suits a column of the table.
    void addFor(const QString& rawColumn);
    /// The same for one side of the model.
    void addFor(const QString& rawColumn, FeatureSide side);
    void addCross();
    /// Why no cross can be added of any columns, a sentence; empty if it can.
    QString crossHindrance() const;
    void remove(const QString& name);
    void duplicate(const QString& name);
    /// False if the name is taken, empty, or the same.
    bool rename(const QString& name, const QString& newName);
    /// To the inputs of a cross, or to the columns that share a table.
    void addInput(const QString& column, const QString& input);
    void removeInput(const QString& column, int index);
    /// Up or down among the columns of the file.
    void move(const QString& name, int by);
    bool canMove(const QString& name, int by);
    /// To the place of another column; an empty name: to the end.
    void moveBefore(const QString& name, const QString& other);
    void use(const QString& name, bool wide, bool deep);

    /// A column is dropped on a side, which shall use it; `also`: the other one keeps it. Where
    /// there is a choice, only `menu` is filled, to be shown.
    void drop(const QString& name, FeatureSide side, bool also, QMenu& menu);

    /// All kinds, those that do not fit disabled with the reason.
    void fillAddMenu(QMenu& menu);
    /// The sides that can use a column; how it can be made dense if it is not.
    void fillUseMenu(QMenu& menu, const FeatureFacts& feature);
    /// Everything that can be done to a column.
    void fillColumnMenu(QMenu& menu, const FeatureFacts& feature);

Q_SIGNALS:
    /// This column was added or renamed: it shall be selected.
    void made(const QString& name);
    void renameRequested(const QString& name);

private:
    int doubleNamesWith(const QList<NewColumn>& columns);
    QList<NewColumn> withoutDoubles(const QList<NewColumn>& columns);
    void fillWrapMenu(QMenu& menu, const QString& name);
    void useOn(const QString& name, bool deepSide);

    ExperimentDocument& m_document;
    Toaster& m_toaster;
    DataFacts m_data;
    QHash<QString, HashedFacts> m_hashed;
    QHash<QString, QString> m_problems;
    QHash<QString, qint64> m_widths;
    QString m_rawColumn;
    QString m_featureColumn;
    bool m_isRawLast = false;
    std::shared_ptr<const ExperimentReading> m_reading;
};

} // namespace cannery::ui
