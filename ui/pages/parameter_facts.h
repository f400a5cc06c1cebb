// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>

namespace cannery::ui {

struct FieldNode;

/// One hyperparameter.
struct ParameterFacts
{
    QString group;
    QString label;
    QString value;
    QString unit; ///< may be empty
    QString help;
    QString path;
    bool isChanged = false; ///< set in the file
};

/// Collects the scalar fields of messages; a oneof's name comes before its own fields.
class ParameterReader
{
    Q_DECLARE_TR_FUNCTIONS(ParameterReader)

public:
    explicit ParameterReader(QList<ParameterFacts>& parameters) : m_parameters(parameters) {}

    /// Each field of a message.
    void read(const FieldNode& message, const QString& group);
    void readField(const FieldNode& field, const QString& group);

private:
    static QString shownValue(const FieldNode& field);
    static QString wordForZero(const FieldNode& field);
    void add(const QString& group, const QString& label, const QString& value,
             const FieldNode& field);

    QList<ParameterFacts>& m_parameters;
};

} // namespace cannery::ui
