"""How much would active learning help on a table: accuracy against labels, from its spectrum."""

from gardner.table.forecast.answer import forecast
from gardner.table.forecast.estimate import TableSpectrum, table_spectrum
from gardner.table.forecast.results import Forecast, ForecastPoint, LabelModel, Needed

__all__ = ["Forecast", "ForecastPoint", "LabelModel", "Needed", "TableSpectrum", "forecast", "table_spectrum"]
