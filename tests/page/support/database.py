"""A copy of the demo database, with roles of its own, on the server of PGHOST and PGPORT."""

import os
import subprocess

from .waiting import wait_until

PASSWORD = "a password of the tests"


class Database:
    """A database of this run. Roles belong to the whole server, so their names begin with that of the database."""

    def __init__(self, name=None):
        self.name = name or f"page_{os.getpid()}"
        self.roles = []

    def create(self):
        wait_until(self._copy_demo, "nobody else to copy the database demo")
        # An index that changes meanwhile would change answers.
        self.execute(f"ALTER DATABASE {self.name} SET text2sql.maintenance_interval = 0")

    def _copy_demo(self):
        try:
            self.execute(f"CREATE DATABASE {self.name} TEMPLATE demo", database="postgres")
        except RuntimeError as error:
            if "being accessed by other users" in str(error):
                return False
            raise
        return True

    def drop(self):
        self.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)", database="postgres")
        for role in self.roles:
            self.execute(f'DROP ROLE IF EXISTS "{role}"', database="postgres")

    def execute(self, *statements, database=None):
        """Runs statements as the superuser and returns the text of the last result, `|` between columns."""
        command = [os.environ["TEXT2SQL_PSQL"], "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        command += ["-d", database or self.name]
        environment = os.environ | {"PGUSER": os.environ.get("PGUSER", "postgres")}
        for statement in statements:
            done = subprocess.run(
                command, input=statement, capture_output=True, text=True, env=environment, check=False
            )
            if done.returncode:
                raise RuntimeError(done.stderr)
        return done.stdout.rstrip("\n")

    def role(self, name, *, member_of="demo_analyst", grant="usage", settings=()):
        """Makes a role that can log in, with what a role of the demo may read, and returns its name."""
        role = f"{self.name}_{name}"
        statements = [f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'"]
        self.roles.append(role)
        if member_of:
            statements.append(f"GRANT {member_of} TO {role}")
        if grant:
            statements.append(f"SELECT text2sql.grant_access('{role}', '{grant}')")
        for name, value in settings:
            statements.append(f"ALTER ROLE {role} IN DATABASE {self.name} SET {name} = '{value}'")
        self.execute(*statements)
        return role

    def model(self, name, base_url, role):
        """Lets a role ask the model at this address."""
        self.execute(
            f"""CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url '{base_url}',
                    model 'double-1', allow_private 'true', allow_http 'true', egress 'schema');
                GRANT USAGE ON FOREIGN SERVER {name} TO {role};
                CREATE USER MAPPING FOR PUBLIC SERVER {name} OPTIONS (api_key 'sk-of-the-tests');
                ALTER ROLE {role} IN DATABASE {self.name} SET text2sql.model = '{name}'""",
        )

    def running(self, role):
        """How many statements of a role run at this moment."""
        return int(
            self.execute(
                f"""SELECT count(*) FROM pg_stat_activity
                    WHERE usename = '{role}' AND datname = '{self.name}' AND state = 'active'"""
            )
        )
